/** Texts around the tables of `docs/formats.md`. */
export const introduction = {
  head: `# Formats

This page lists the formats for export and import of datasets, and the annotations that each format keeps, converts or drops. It is
generated from the declarations of the formats (\`npm run codegen\`), which \`GET /api/server/annotation/formats\` and
\`GET /api/server/formats/losses\` also return. Tests export and import every format to check them. Exact rules are in the
[specification](spec/formats.md); to add a format, follow [the guide](how-to/add-format.md).

Every import and export ends with a report of converted, dropped and skipped objects, with counts, reasons and examples. Imported objects
have source \`file\`, unless the file names another source of an object. An unknown source becomes \`manual\` and is reported.

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

An import into a task or job finds the frame of each image in this order ([exact rules](spec/formats.md#matching-items-to-frames)):

1. The whole path, with or without its last extension. If the frames are in folders that the file omits, the folders are added.
2. The base name, without folders and extension: exactly, then in any letter case. Only one frame may have it.
3. The same with the name percent-decoded: \`my%20picture.png\` is the frame \`my picture.png\`.
4. The frame number, in tasks of a video, or for an item without a name.

In tasks of images a name is never read as a number: if an image with annotations is not in the task, the import fails and names it. In
Pascal VOC the name of the document counts before its \`<filename>\`.

The report lists images that share a frame, images whose declared size is not that of the frame (coordinates are unchanged), and images
of an archive for a project that no document or list names (they become no frames).

An import fails if no file was recognized as annotations of the format. A recognized file without objects is a success, and by default
replaces all annotations of the task ([import modes](requests.md#import)).
`,
  foot: `## Details of each format

The specification describes the files of each format, and how it writes and reads labels, attributes, tracks and masks:
[Service XML](spec/formats.md#service-xml), [COCO](spec/formats.md#coco), [YOLO](spec/formats.md#yolo),
[Pascal VOC](spec/formats.md#pascal-voc), [Segmentation mask](spec/formats.md#segmentation-mask), [LabelMe](spec/formats.md#labelme),
[KITTI](spec/formats.md#kitti), [MOT](spec/formats.md#mot), [TFRecord](spec/formats.md#tfrecord).

- The report also lists coordinates that a format rounds or cuts to the image. YOLO and TFRecord exports cut boxes to the image and omit
  boxes that are completely outside it.
- Objects with one \`track_id\` become a track in COCO and Pascal VOC. If the file gives no \`keyframe\`, every shape is a keyframe.
- A MOT export with images adds \`gt/frames.txt\` if the names of images do not give their frame numbers. Imports use it; other tools ignore
  it.
`,
}

export const optionWords: Readonly<Record<string, string>> = {
  conv_mask_to_poly: 'Masks become polygons',
}
