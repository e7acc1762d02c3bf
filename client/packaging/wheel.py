"""Packs a stage of client/packaging/build into a wheel: wheel.py STAGE OUT VERSION. Needs no package."""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.4
Name: editd-bin
Version: {version}
Summary: The programs of editd, the daemon that applies the file edits of coding agents
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def platform_tag(programs: list[Path]) -> str:
    """Returns the tag of the oldest glibc that has all symbols which the programs need; of every Linux if they need none."""
    found = {(2, 17)}
    for program in programs:
        said = subprocess.run(["readelf", "--version-info", program], check=True, capture_output=True, text=True)
        found |= {(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", said.stdout)}
    major, minor = max(found)
    return f"manylinux_{major}_{minor}_{platform.machine()}"


def main(stage: Path, out: Path, version: str) -> None:
    programs = sorted((stage / "bin").iterdir())
    tag = f"py3-none-{platform_tag(programs)}"
    info = f"editd_bin-{version}.dist-info"
    readme = (stage / "doc/README.md").read_text()
    files = {f"editd_bin-{version}.data/scripts/{program.name}": program.read_bytes() for program in programs}
    files |= {f"{info}/licenses/LICENSE-{name}": (stage / f"doc/LICENSE-{name}").read_bytes() for name in ("MIT", "APACHE")}
    files[f"{info}/METADATA"] = (METADATA.format(version=version) + readme).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: editd\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = [f"{name},sha256={digest(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    wheel = out / f"editd_bin-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(f"built {wheel}")


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
