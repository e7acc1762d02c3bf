# Sourced by `run`: checks for other systems than this one and Windows.
#
# lints_elsewhere  the lints for Windows and macOS
# static           builds the programs without libraries of the system, for two processors, and uses them
#
# The standard libraries come from rustup; see `windows.sh` for that of Windows.

APPLE=aarch64-apple-darwin

# Makes the compiler able to build for $1; $2 says what is skipped if it cannot.
target_library() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ] || timeout 120 rustup target add "$1" >/dev/null 2>&1 || {
        echo "rustup offers no standard library for $1: $2"
        return 1
    }
}

# Lints link nothing, so the parts in C need a compiler in name only: it writes empty files. The build has its own folder, since other
# steps build programs while it runs.
lints_elsewhere() {
    local tools targets=() status=0
    SECONDS=0
    ! windows_target || targets+=(--target "$WINDOWS")
    ! target_library "$APPLE" "macOS is not checked" || targets+=(--target "$APPLE")
    [ ${#targets[@]} -gt 0 ] || return 0
    tools=$(mktemp -d)
    cat >"$tools/cc" <<'CC'
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -o) : >"$2" ;;
    # The crate cc asks which compiler this is: clang, and none with the options of MSVC.
    -E) echo '"clang"' ;;
    '-?') exit 1 ;;
    esac
    shift
done
CC
    chmod +x "$tools/cc"
    CC_aarch64_apple_darwin=$tools/cc AR_aarch64_apple_darwin=ar CC_x86_64_pc_windows_gnu=$tools/cc \
        AR_x86_64_pc_windows_gnu=ar SDKROOT=/ CARGO_PROFILE_DEV_DEBUG=0 \
        cargo clippy --locked --workspace --lib --bins --tests "${targets[@]}" \
        --target-dir "$(target_folder)/elsewhere" -- -D warnings || status=$?
    rm -rf "$tools"
    echo "== lints for Windows and macOS: $SECONDS s"
    return "$status"
}

# Builds the daemon and the client for two processors, without optimisation, and uses both: the second under an emulator, if there is
# one. The macros and build scripts are those of the lints.
static() {
    local target emulator targets=()
    if ! command -v cargo-zigbuild >/dev/null && ! pip_install cargo-zigbuild; then
        echo "cargo-zigbuild cannot be installed: static programs are not built"
        return 0
    fi
    debian_install "the programs for aarch64 are not started" qemu-aarch64-static:qemu-user-static
    for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
        ! target_library "$target" "its programs are not built" || targets+=("$target")
    done
    [ ${#targets[@]} -gt 0 ] || return 0
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=0 \
        cargo zigbuild --locked --package editd --package editctl "${targets[@]/#/--target=}" \
        --target-dir "$(target_folder)/elsewhere"
    for target in "${targets[@]}"; do
        emulator=
        if [ "${target%%-*}" != "$(uname -m)" ]; then
            emulator=$(command -v "qemu-${target%%-*}-static") || continue
        fi
        use_static "$(target_folder)/elsewhere/$target/debug" "$emulator"
        echo "$target: built, and used${emulator:+ under ${emulator##*/}}"
    done
}

# Starts the daemon in the folder $1, edits, kills it, starts it again and undoes. $2 is an emulator that runs both, or empty.
use_static() (
    bin=$1 emulator=$2 top=$(mktemp -d)
    if file "$bin/editd" 2>/dev/null | grep -q 'dynamically linked'; then
        echo "$bin/editd needs libraries of the system"
        exit 1
    fi
    # shellcheck disable=SC2317
    leave() {
        kill -9 "$daemon" 2>/dev/null || true
        rm -rf "$top"
    }
    daemon=
    trap leave EXIT
    mkdir -p "$top/home" "$top/workspace" && mkdir -m 700 "$top/run"
    unset XDG_STATE_HOME XDG_CONFIG_HOME
    export HOME=$top/home XDG_RUNTIME_DIR=$top/run EDITCTL_SESSION=static
    serve() {
        $emulator "$bin/editd" --workspace "$top/workspace" >"$top/log" 2>&1 &
        daemon=$!
        for _ in $(seq 300); do
            ! grep -q ' serving ' "$top/log" || return 0
            sleep 0.1
        done
        cat "$top/log"
        exit 1
    }
    editctl() { $emulator "$bin/editctl" --workspace "$top/workspace" "$@" >/dev/null; }
    serve
    editctl create hello.txt hello
    editctl replace hello.txt hello 'good morning'
    [ "$(cat "$top/workspace/hello.txt")" = 'good morning' ]
    kill -9 "$daemon"
    wait "$daemon" 2>/dev/null || true
    serve
    editctl undo
    [ "$(cat "$top/workspace/hello.txt")" = hello ]
    editctl stop
)
