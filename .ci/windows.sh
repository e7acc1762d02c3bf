# Sourced by `run`: checks for Windows on a Debian machine.
#
# windows_target   makes the compiler able to check for Windows. Returns 1, and says why, if it cannot
# windows_linker   makes it able to link programs for Windows. Returns 1, and says why, if it cannot
# windows_wine     makes a Windows of Wine, in which those programs run. Returns 1, and says why, if it cannot
# windows_run      runs a program of Windows there
# windows_suite    runs the tests of WINDOWS_TESTS there, with the programs in the folder $1
#
# The standard library for Windows comes from rustup, or is built from the sources that Debian has of this compiler, and
# is kept in the user's cache folder for as long as `rustc -vV` says the same.

WINDOWS=x86_64-pc-windows-gnu
WINDOWS_CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/editd-ci/windows

windows_target() {
    local compiler std
    compiler=$(rustc -vV | sha256sum | head -c 16)
    std=$WINDOWS_CACHE/std-$compiler
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$WINDOWS/lib" ] || timeout 120 rustup target add "$WINDOWS" >/dev/null 2>&1; then
        return 0
    fi
    if [ ! -d "$std" ] && ! windows_std "$std" >&2; then
        echo "the standard library for Windows is neither offered by rustup nor built here: Windows is not checked"
        return 1
    fi
    # With a library that was built here, this lint does not see that the initializers of `thread_local!` are constants.
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS="--sysroot=$std -Aclippy::missing_const_for_thread_local"
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTDOCFLAGS="--sysroot=$std"
}

windows_linker() {
    debian_install "no program for Windows is built" x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64-win32
    if ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
        echo "no C compiler for Windows is installed: no program for Windows is built"
        return 1
    fi
}

# Builds the standard library into the folder $1.
windows_std() {
    local work
    windows_linker || return 1
    mkdir -p "$WINDOWS_CACHE"
    work=$(mktemp -d "$WINDOWS_CACHE/build.XXXXXX")
    if windows_std_in "$work"; then
        mkdir -p "$work/done/lib/rustlib/$WINDOWS/lib"
        find "$work/target/$WINDOWS/release/deps" -name '*.rlib' ! -name 'libempty-*' \
            -exec cp {} "$work/done/lib/rustlib/$WINDOWS/lib/" \;
        mv -T "$work/done" "$1"
    fi
    rm -rf "$work"
    [ -d "$1" ]
}

# Builds an empty crate with the standard library below $1. Cargo looks for the sources in the folder of the compiler, so
# the compiler gets one of links that has them.
windows_std_in() {
    local work=$1 real part sources
    sources=$(windows_sources "$work") || return 1
    real=$(rustc --print sysroot)
    mkdir -p "$work/sysroot/lib/rustlib/src" "$work/src"
    for part in "$real"/lib/rustlib/*; do
        [ "${part##*/}" = src ] || ln -s "$part" "$work/sysroot/lib/rustlib/"
    done
    ln -s "$sources" "$work/sysroot/lib/rustlib/src/rust"
    printf '#!/bin/sh\nexec rustc --sysroot=%q "$@"\n' "$work/sysroot" >"$work/rustc"
    chmod +x "$work/rustc"
    printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' >"$work/Cargo.toml"
    echo '#![no_std]' >"$work/src/lib.rs"
    env -u RUSTFLAGS -u CARGO_BUILD_TARGET RUSTC="$work/rustc" RUSTC_BOOTSTRAP=1 cargo build --quiet --release \
        --manifest-path "$work/Cargo.toml" --target "$WINDOWS" --target-dir "$work/target" \
        -Zbuild-std=std,panic_unwind,panic_abort,proc_macro,test
}

# Unpacks the sources of exactly this compiler below $1, and prints their folder. Debian's backports have them some days
# after a release; the lists of packages are kept apart from those of the machine.
windows_sources() {
    local work=$1 version mirror package options
    version=$(rustc -V | cut -d' ' -f2)
    mirror=$(apt-cache policy base-files 2>/dev/null | grep -oE 'https?://[^ ]+/debian' | head -n 1)
    [ -n "$mirror" ] || return 1
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie-backports main" >"$work/sources"
    options=(-qq -o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update >/dev/null 2>&1 || return 1
    package=$(apt-cache "${options[@]}" madison rust-src | tr -d ' ' | cut -d'|' -f2 | grep "^$version+" | tail -n 1)
    [ -n "$package" ] || return 1
    (cd "$work" && apt-get "${options[@]}" download "rust-src=$package" >/dev/null) || return 1
    dpkg -x "$work"/rust-src_*.deb "$work/unpacked" || return 1
    readlink -f "$work/unpacked/usr/lib/rustlib/src/rust"
}

windows_wine() {
    debian_install "nothing is run on Windows" /usr/lib/wine/wine64:wine64
    if [ ! -x /usr/lib/wine/wine64 ]; then
        echo "Wine is not installed: nothing is run on Windows"
        return 1
    fi
    export WINEPREFIX=${WINEPREFIX:-$WINDOWS_CACHE/wine} WINEARCH=win64 WINEDEBUG=-all LC_ALL=C.UTF-8
    export WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe="
    local system=$WINEPREFIX/drive_c/windows/system32
    if [ ! -d "$system" ]; then
        mkdir -p "$WINEPREFIX"
        { windows_run wineboot -i && windows_run winecfg -v win10; } >/dev/null 2>&1 || true
    fi
    # Programs of Rust need this library, which old versions of Wine do not have.
    if [ ! -e "$system/bcryptprimitives.dll" ]; then
        x86_64-w64-mingw32-gcc -shared -O2 -x c -o "$system/bcryptprimitives.dll" - -x none -ladvapi32 <<'C'
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *into, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(unsigned char *into, SIZE_T length) {
    while (length > 0) {
        ULONG part = length < 65536 ? (ULONG)length : 65536;
        if (!SystemFunction036(into, part))
            return FALSE;
        into += part;
        length -= part;
    }
    return TRUE;
}
C
    fi
    windows_run cmd /c ver | tr -d '\r' | grep .
}

windows_run() {
    env -u DISPLAY -u LD_LIBRARY_PATH /usr/lib/wine/wine64 "$@"
}

# The scenarios on real files and on the simulated machine, and the tests of whole processes that need no Unix.
WINDOWS_TESTS=(cases::real cases::simulated calls:: concurrent:: dialects:: edits:: entry_contents:: forget:: globs:: hard_links::
    idempotent_keys:: job_versions:: marks:: merges:: metrics:: notes:: settings:: starting:: subscriptions:: symbols:: undo::
    unknown_outcome:: void_entries::)

windows_suite() {
    local folder name
    folder="Z:${1//\//\\}"
    for name in editd editctl editctl-mcp editctl-setup editctl-history editctl-hook editctl-ui; do
        local -x "$(tr a-z- A-Z_ <<<"$name")_BIN=$folder\\$name.exe"
    done
    cargo test --locked --package editd-tests --test suite --target "$WINDOWS" -- --test-threads=1 "${WINDOWS_TESTS[@]}"
}
