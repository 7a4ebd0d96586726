"""Creates images, and reads archives of annotations."""

import io
import zipfile

from PIL import Image


def pictures(folder, count, size=(64, 48)):
    """Writes `count` PNG files, each in another colour, and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        path = folder / f"picture {number:02}.png"
        Image.new("RGB", size, (number * 20 % 256, 90, 200)).save(path)
        paths.append(path)
    return paths


def opens(data):
    """Opens an image as the client does."""
    image = Image.open(io.BytesIO(data) if isinstance(data, bytes) else data)
    image.load()
    return image


def names_in(data):
    """Returns the names of the files in an archive."""
    with zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data) as archive:
        return archive.namelist()
