"""Output files that are opened before the work starts and appear complete or not at all."""

import os
import tempfile
from pathlib import Path

from trisweep.errors import UserError


class Outputs:
    """The files NAME.json, NAME.md and NAME.png in a folder, which is created if missing. Used as a context:
    the files are renamed into place when it ends without an exception, and removed otherwise. Raises
    UserError when the folder cannot be written."""

    def __init__(self, folder: Path, name: str, endings: tuple[str, ...] = ("json", "md", "png")) -> None:
        self.files = {ending: folder / f"{name}.{ending}" for ending in endings}
        self._partial: dict[str, Path] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for ending, file in self.files.items():
                if file.is_dir():
                    raise IsADirectoryError(f"{file} is a folder")
                handle, path = tempfile.mkstemp(prefix=f".{file.name}-", dir=folder)
                os.close(handle)
                self._partial[ending] = Path(path)
        except OSError as error:
            self._forget()
            message = f"cannot write into {folder}: {error.strerror or error}"
            raise UserError(message, "give another folder with -o") from None

    def write(self, ending: str, content: bytes | str) -> None:
        self._partial[ending].write_bytes(content.encode() if isinstance(content, str) else content)

    def __enter__(self) -> "Outputs":
        return self

    def __exit__(self, failure: type[BaseException] | None, *details: object) -> None:
        if failure is None:
            for ending, file in self.files.items():
                self._partial[ending].chmod(0o666 & ~_umask())
                self._partial[ending].replace(file)
        self._forget()

    def _forget(self) -> None:
        for path in self._partial.values():
            path.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
