"""Packs the files of a fixture into an archive, as the tools do that write them."""

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import zstandard

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "layouts"


def members(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def tar(
    files: Mapping[str, bytes], links: Mapping[str, str] | None = None, *, mode: str = "w", prefix: str = ""
) -> bytes:
    """A tar archive; ``mode`` packs it (``w:gz``, ``w:xz``), ``prefix`` stands before every name (``./``)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(prefix + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(prefix + name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return out.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    """Packed with zstd."""
    return zstandard.compress(data)
