"""Reads exports with the libraries of other projects, and compares the results with the expected contents.

Usage: check.py FOLDER, with the output of src/write-archives.ts. Exits with 1 if anything differs.
"""

import contextlib
import json
import struct
import sys
import zipfile
from pathlib import Path

import google_crc32c
import numpy
from datumaro import Dataset
from datumaro.components.annotation import AnnotationType
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from pycocotools.coco import COCO

# Each reader yields (frame, label, kind, points). The points of a mask are left, top, right and bottom, all
# inclusive, and the number of pixels.


def read_coco(folder, frames):
    for file in sorted(folder.glob("annotations/*.json")):
        with contextlib.redirect_stdout(None):
            coco = COCO(str(file))
        for one in coco.anns.values():
            frame = frames.index(coco.imgs[one["image_id"]]["file_name"])
            label = coco.cats[one["category_id"]]["name"]
            segmentation = one["segmentation"]
            x, y, width, height = one["bbox"]
            if segmentation == []:
                yield frame, label, "rectangle", [x, y, x + width, y + height]
                continue
            pixels = coco.annToMask(one)
            assert pixels.sum() == one["area"], f"area {one['area']} of {pixels.sum()} pixels"
            if isinstance(segmentation, dict):
                yield frame, label, "mask", mask_points(pixels)
            else:
                assert len(segmentation) == 1
                yield frame, label, "polygon", segmentation[0]


def read_tfrecord(folder, frames):
    example_type = example_message()
    for file in sorted(folder.glob("*.tfrecord")):
        for data in tf_records(file.read_bytes()):
            example = example_type.FromString(data)
            feature = example.features.feature
            text = lambda name: [one.decode() for one in feature[name].bytes_list.value]
            numbers = lambda name: feature[name].int64_list.value
            size = [numbers("image/width")[0], numbers("image/height")[0]] * 2
            frame = frames.index(text("image/filename")[0])
            assert feature["image/encoded"].bytes_list.value[0][:4] == b"\x89PNG"
            sides = [f"image/object/bbox/{side}" for side in ("xmin", "ymin", "xmax", "ymax")]
            boxes = [feature[side].float_list.value for side in sides]
            for label, *box in zip(text("image/object/class/text"), *boxes):
                yield frame, label, "rectangle", [side * whole for side, whole in zip(box, size)]


def tf_records(data):
    at = 0
    while at < len(data):
        (length, head_crc) = struct.unpack_from("<QI", data, at)
        body = data[at + 12 : at + 12 + length]
        (body_crc,) = struct.unpack_from("<I", data, at + 12 + length)
        assert head_crc == masked(data[at : at + 8]) and body_crc == masked(body), "wrong checksum"
        at += 16 + length
        yield body


def masked(data):
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def example_message():
    """Builds the message type tf.train.Example field by field."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="tf", syntax="proto3")

    def message(parent, name, *fields):
        made = parent.add(name=name)
        for number, (called, kind, is_repeated, of) in enumerate(fields, 1):
            label = field.LABEL_REPEATED if is_repeated else field.LABEL_OPTIONAL
            made.field.add(name=called, number=number, type=kind, label=label, type_name=of)
        return made

    top = file.message_type
    kinds = {"Bytes": field.TYPE_BYTES, "Float": field.TYPE_FLOAT, "Int64": field.TYPE_INT64}
    for name, kind in kinds.items():
        message(top, f"{name}List", ("value", kind, True, None))
    one = field.TYPE_MESSAGE
    lists = [(f"{name.lower()}_list", one, False, f".tf.{name}List") for name in kinds]
    message(top, "Feature", *lists)
    map_type = ".tf.Features.FeatureEntry"
    features = message(top, "Features", ("feature", one, True, map_type))
    key = ("key", field.TYPE_STRING, False, None)
    entry = message(features.nested_type, "FeatureEntry", key, ("value", one, False, ".tf.Feature"))
    entry.options.map_entry = True
    message(top, "Example", ("features", one, False, ".tf.Features"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tf.Example"))


def datumaro_reader(*names, root="."):
    """Reads a part of a format with one of several readers."""

    def read(folder, frames):
        for name in names:
            yield from read_datumaro(folder / root, name, frames)

    return read


def read_datumaro(folder, name, frames):
    dataset = Dataset.import_from(str(folder), name)
    names = [label.name for label in dataset.categories()[AnnotationType.label]]
    for item in dataset:
        frame = frame_of(item.id, frames)
        for one in item.annotations:
            label = names[one.label]
            if one.type == AnnotationType.label or label == "background":
                continue
            if one.type == AnnotationType.bbox:
                x, y, width, height = one.get_bbox()
                yield frame, label, "rectangle", [x, y, x + width, y + height]
            elif one.type == AnnotationType.mask:
                yield frame, label, "mask", mask_points(one.image)
            else:
                yield frame, label, one.type.name, list(one.points)


def frame_of(name, frames):
    """Returns the frame of an image name without extension; sequences count from 1."""
    stems = [Path(frame).stem for frame in frames]
    return stems.index(name) if name in stems else int(name) - 1


def mask_points(pixels):
    rows, columns = numpy.nonzero(pixels)
    return [columns.min(), rows.min(), columns.max(), rows.max(), len(rows)]


readers = {
    "COCO 1.0": read_coco,
    "KITTI 1.0": datumaro_reader("kitti_detection", "kitti_segmentation"),
    "LabelMe 3.0": datumaro_reader("label_me", root="default"),
    "MOT 1.1": datumaro_reader("mot_seq"),
    "Pascal VOC 1.1": datumaro_reader("voc"),
    "Segmentation mask 1.1": datumaro_reader("voc_segmentation"),
    "Service 1.1": datumaro_reader("cvat"),
    "Service for images 1.1": datumaro_reader("cvat"),
    "TFRecord 1.0": read_tfrecord,
    "YOLO 1.1": datumaro_reader("yolo"),
}


def fact(one):
    points = one["points"]
    if one["type"] == "mask":
        points = [*points[-4:], sum(points[1:-4:2])]
    return one["frame"], one["label"], one["type"], points


# In pixels, for the format with the fewest decimals.
tolerance = 0.02


def differences(wanted, found):
    left = [(*place, [float(value) for value in points]) for *place, points in found]
    for one in wanted:
        same = next((other for other in left if is_same(one, other)), None)
        if same is None:
            yield f"not found: {one}"
        else:
            left.remove(same)
    for other in left:
        yield f"found as well: {other}"


def is_same(one, other):
    (*place, points), (*other_place, others) = one, other
    is_near = all(abs(a - b) <= tolerance for a, b in zip(points, others))
    return place == other_place and len(points) == len(others) and is_near


def main(folder):
    facts = json.loads((folder / "facts.json").read_text())
    wrong = 0
    for one in facts["formats"]:
        name = one["name"]
        if name not in readers:
            print(f"{name}: nobody else reads it here, nothing was compared")
            continue
        unpacked = folder / Path(one["archive"]).stem
        zipfile.ZipFile(folder / one["archive"]).extractall(unpacked)
        wanted = [fact(shape) for shape in one["shapes"]]
        try:
            found = readers[name](unpacked, facts["frames"])
            lines = list(differences(wanted, found))
        except Exception as error:
            lines = [f"cannot be read: {type(error).__name__}: {error}"]
        wrong += len(lines)
        print(f"{name}: {len(wanted)} shapes, {'DIFFERENT' if lines else 'found as they are'}")
        for line in lines:
            print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
