/** What `docs/formats.md` says around its tables. */
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
  foot: `Coordinates that a format rounds or cuts to the image are told of in the report, too.

MOT counts frames. Where the images of a sequence do not say which frames they are (some are left out, or they are not in the order of
their names), an export with images has a list beside its rows, \`gt/frames.txt\` with lines \`frame_id,image\`, that an import goes by;
other tools pass over it.
`,
}

export const optionWords: Readonly<Record<string, string>> = {
  conv_mask_to_poly: 'Masks become polygons',
}
