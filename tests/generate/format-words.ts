/** Texts around the tables of `docs/formats.md`. */
export const introduction = {
  head: `# Formats

This page lists the formats for export and import of datasets, and the annotations that each format keeps, converts or drops. It is
generated from the declarations of the formats (\`npm run codegen\`), which \`GET /api/server/annotation/formats\` and
\`GET /api/server/formats/losses\` also return. Tests export and import every format to check them. Exact rules are in the
[specification](spec/formats.md); to add a format, follow [the guide](how-to/add-format.md).

Every import and export ends with a report of converted, dropped and skipped objects, with counts, reasons and examples. Imported objects
have source \`file\`, unless the file names another known source of an object.

## Names and files

The name of a format, and its other names, are accepted in any letter case. Formats for projects contain images: each subset of the archive
becomes a task.

An archive contains first the files that describe the dataset (labels, lists of images), then annotations and the lists that depend on them,
then images. The order of files is the same in every export of a dataset.
`,
  options: `## Options

Query parameters of a request.
`,
  kinds: `## Kinds of annotations

✔ is kept, ≈ is converted to another kind, ✖ is dropped. If a cell has two signs, the first is for exports and the second for imports.
`,
  features: `## Properties of annotations

The same for other properties of annotations, in exports and for kinds that are not dropped.

- Kept tracks are imported as tracks; converted ones become shapes on their frames.
- A converted z order is the order in which shapes are written or painted.
- The members of a converted group become one object.
`,
  matching: `## How images are matched with frames

An import into a task or job finds the frame of each image in this order:

1. The whole path, with or without its last extension. If the frames are in folders that the file omits, the folders are added.
2. The base name, without folders and extension: exactly, then in any letter case. Only one frame may have it.
3. The same with the name percent-decoded: \`my%20picture.png\` is the frame \`my picture.png\`.
4. The frame number, in tasks of a video, or for an item without a name.

All names of an item count; in Pascal VOC the name of the document counts before its \`<filename>\`. In tasks of images a name is never
read as a number: if an image with annotations is not in the task, the import fails and names it.

The report lists images

- that share a frame with another image of the upload. An object that two files contain is stored once;
- whose declared size is not that of the frame. Coordinates are unchanged;
- of an archive for a project that no document or list names. They become no frames.

An import replaces the annotations of the task. It therefore fails if no file was recognized as annotations of the format. A recognized file
without objects is a success.
`,
  foot: `## Details

- **Boxes**: any two opposite corners define a box. Imports store left, top, right, bottom, and exports write them.
- **Rounding**: the report also lists coordinates that a format rounds or cuts to the image. YOLO and TFRecord exports cut boxes to the image
  and omit boxes that are completely outside it.
- **COCO and Pascal VOC tracks**: objects with one \`track_id\` become a track. If the file gives no \`keyframe\`, every shape of the track is
  a keyframe. COCO reads \`track_id\` among the \`attributes\` or beside them.
- **COCO segmentation**: one without area, or one that cannot be read, is replaced with the \`bbox\` of its object.
- **Class masks**: grey images contain indexes of the label map. If a value exceeds the indexes and every value is a grey colour of the map
  (255 for \`255,255,255\`), the values are read as colours.
- **MOT classes**: \`gt/labels.txt\` names the classes of the rows. Without it, every row gets the only label of the task; if the task has
  several labels, the numbers are the official classes of the MOT challenge.
- **MOT frames**: MOT counts frames. If images do not show their frame numbers (some are left out, or the order is not that of their names), an
  export with images adds the list \`gt/frames.txt\` with lines \`frame_id,image\`, which an import uses and other tools ignore.
`,
}

export const optionWords: Readonly<Record<string, string>> = {
  conv_mask_to_poly: 'Masks become polygons',
}
