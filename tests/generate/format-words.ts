/** Texts around the tables of `docs/formats.md`. */
export const introduction = {
  head: `# Formats

In which formats data sets go out and come in, and what is lost on the way. This page is printed from what the formats say of
themselves (\`npm run codegen\`), which the server tells as well: \`GET /api/server/annotation/formats\` and
\`GET /api/server/formats/losses\`. Tests hold every format to it, out and in again. How one is added:
[how-to/add-format.md](how-to/add-format.md).

Imported objects have source \`file\`, unless the file names another source of an object that the service knows. Nothing is lost in
silence: every import and export ends with a report of what was converted, dropped or passed over, with counts, reasons and examples.

## Names and files

A format is found by its name or one of its other names, in upper or lower case. Formats that go into a project bring their images:
each subset of the archive becomes a task.

In every archive, files that describe the set (labels, lists of images) come first, then annotations and the lists that follow from
them, then images. The order of files is the same in every export of a set.
`,
  options: `## Options

Query parameters of a request.
`,
  kinds: `## What becomes of annotations

✔ is kept, ≈ is converted to another kind, ✖ is dropped. Where two signs stand in a cell, the first is of exports and the second of
imports.
`,
  features: `## What becomes of what annotations have

The same for what annotations have beside their points, in exports and for kinds that are not dropped. Tracks that are kept come back
as tracks, converted ones are shapes of their frames. A z order that is converted is the order in which shapes are written or painted.
Members of a group that is converted become one object.
`,
  matching: `## How pictures are matched with frames

An import into a task or job finds the frame of each picture in this order:

1. The whole path, with or without its last extension. Where the frames are in folders that the file leaves out, those are added.
2. The base name, without folders and extension: exactly, then in any letter case. Only one frame may have it.
3. The same with the name percent-decoded: \`my%20picture.png\` is the frame \`my picture.png\`.
4. The frame number, in tasks of a video, or for an item without a name.

All names count that an item carries; in Pascal VOC the name of the document counts before its \`<filename>\`. In tasks of pictures a
name is never read as a number: where a picture with annotations is not in the task, the import fails and names it.

The report names pictures

- that share a frame with another one of the upload. An object that two files have is stored once;
- whose declared size is not that of the frame. Coordinates are kept as they are;
- that an archive for a project has and that no document or list names. They become no frames.

An import replaces the annotations of the task. It therefore fails if no file was understood as annotations of the format. A file that
was understood and has no objects is a success.
`,
  foot: `Two opposite corners of a box make the same box in any order: imports store left, top, right, bottom, and exports write them.

Coordinates that a format rounds or cuts to the image are told of in the report, too. YOLO and TFRecord exports cut boxes to the
image and leave out boxes that lie wholly outside of it.

COCO and Pascal VOC objects with one \`track_id\` become a track. Where the file gives no \`keyframe\`, every shape of the track is a
keyframe. COCO reads \`track_id\` among the \`attributes\` or beside them. A COCO segmentation without area, or one that cannot be read,
is replaced with the \`bbox\` of its object.

Grey pictures of classes hold the indexes of the label map. Where a value exceeds the indexes and every value is a grey colour of the map
(255 for \`255,255,255\`), the values are read as colours.

MOT rows name their classes in \`gt/labels.txt\`. Without it, the only label of the task is used for every row; where the task has
several labels, the numbers are the official classes of the MOT challenge.

MOT counts frames. Where the images of a sequence do not say which frames they are (some are left out, or they are not in the order of
their names), an export with images has a list beside its rows, \`gt/frames.txt\` with lines \`frame_id,image\`, that an import goes by;
other tools pass over it.
`,
}

export const optionWords: Readonly<Record<string, string>> = {
  conv_mask_to_poly: 'Masks become polygons',
}
