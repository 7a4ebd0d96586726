/** Writes files of every format with boxes, without the exporters. */
import type { NamedFiles } from './run.ts'
import { recordOf } from './tfrecord.ts'

/** A box in an image; an upload has two files. */
export interface FileObject {
  file: 0 | 1
  picture: string
  label: string
  /** In pixels. */
  box: readonly [x: number, y: number, width: number, height: number]
}

/** Side of each image in pixels; relative coordinates are exact. */
export const side = 32

function groupedBy<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group) group.push(value)
    else groups.set(keyOf(value), [value])
  }
  return groups
}
type Writer = (objects: readonly FileObject[]) => NamedFiles

/** One file for each image, in a folder for each of the two files. */
const byPicture =
  (
    pathOf: (folder: string, picture: string) => string,
    textOf: (own: FileObject[]) => string,
  ): Writer =>
  (objects) => {
    const files: NamedFiles = {}
    for (const [path, own] of groupedBy(objects, ({ file, picture }) =>
      pathOf(file === 0 ? 'p' : 'q', picture),
    ))
      files[path] = textOf(own)
    return files
  }

/** One file for all images, twice. */
const byFile =
  (
    pathOf: (name: string) => string,
    contentOf: (own: FileObject[]) => string | Uint8Array,
  ): Writer =>
  (objects) => {
    const files: NamedFiles = {}
    for (const [file, own] of groupedBy(objects, (one) => one.file))
      files[pathOf(file === 0 ? 'p' : 'q')] = contentOf(own)
    return files
  }

const pictures = (objects: readonly FileObject[]): [string, FileObject[]][] => [
  ...groupedBy(objects, ({ picture }) => picture),
]

const coco = (objects: FileObject[]): string => {
  const names = pictures(objects).map(([name]) => name)
  return JSON.stringify({
    images: names.map((name, id) => ({ id, file_name: `${name}.png` })),
    categories: [{ id: 1, name: 'car' }],
    annotations: objects.map(({ picture, label, box }, id) => ({
      id,
      image_id: names.indexOf(picture),
      category_id: label === '' ? 0 : 1,
      bbox: box,
    })),
  })
}

const xmlImage = ([name, own]: [string, FileObject[]]): string =>
  `<image name="${name}.png">${own
    .map(
      ({ label, box: [x, y, width, height] }) =>
        `<box label="${label}" xtl="${x}" ytl="${y}" xbr="${x + width}" ybr="${y + height}"/>`,
    )
    .join('')}</image>`

const vocObject = ({ label, box: [x, y, width, height] }: FileObject): string =>
  `<object><name>${label}</name><bndbox><xmin>${x}</xmin><ymin>${y}</ymin><xmax>${x + width}</xmax><ymax>${y + height}</ymax></bndbox></object>`

const labelMeObject = ({ label, box: [x, y, width, height] }: FileObject): string => {
  const corners = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ].map(([left, top]) => `<pt><x>${left}</x><y>${top}</y></pt>`)
  return `<object><name>${label}</name><type>bounding_box</type><polygon>${corners.join('')}</polygon></object>`
}

const annotation = (textOf: (one: FileObject) => string) => (own: FileObject[]) =>
  `<annotation>${own.map(textOf).join('')}</annotation>`

const tfRecord = ([name, own]: [string, FileObject[]]): Uint8Array => {
  const shares = (of: (box: FileObject['box']) => number) => own.map(({ box }) => of(box) / side)
  return recordOf({
    'image/filename': `${name}.png`,
    'image/object/class/text': own.map(({ label }) => label),
    'image/object/bbox/xmin': shares(([x]) => x),
    'image/object/bbox/xmax': shares(([x, , width]) => x + width),
    'image/object/bbox/ymin': shares(([, y]) => y),
    'image/object/bbox/ymax': shares(([, y, , height]) => y + height),
  })
}

const yoloLine = ({ box: [x, y, width, height] }: FileObject): string => {
  const shares = [x + width / 2, y + height / 2, width, height].map((value) => value / side)
  return `0 ${shares.join(' ')}\n`
}

const kittiLine = ({ label, box: [x, y, width, height] }: FileObject): string =>
  `${label} 0 0 -1 ${x} ${y} ${x + width} ${y + height} -1 -1 -1 -1 -1 -1 -1\n`

const lines = (textOf: (one: FileObject) => string) => (own: FileObject[]) =>
  own.map(textOf).join('')

/** Whether the format can have objects without a label, and its files. */
export const objectFiles: Readonly<Record<string, { hasUnlabelled: boolean; filesOf: Writer }>> = {
  'COCO 1.0': {
    hasUnlabelled: true,
    filesOf: byFile((name) => `annotations/instances_${name}.json`, coco),
  },
  'Service 1.1': {
    hasUnlabelled: true,
    filesOf: byFile(
      (name) => `${name}.xml`,
      (own) => `<annotations>${pictures(own).map(xmlImage).join('')}</annotations>`,
    ),
  },
  'TFRecord 1.0': {
    hasUnlabelled: true,
    filesOf: byFile(
      (name) => `${name}.tfrecord`,
      (own) => Buffer.concat(pictures(own).map(tfRecord)),
    ),
  },
  'Pascal VOC 1.1': {
    hasUnlabelled: true,
    filesOf: byPicture(
      (folder, picture) => `Annotations/${folder}/${picture}.xml`,
      annotation(vocObject),
    ),
  },
  'LabelMe 3.0': {
    hasUnlabelled: true,
    filesOf: byPicture((folder, picture) => `${folder}/${picture}.xml`, annotation(labelMeObject)),
  },
  'KITTI 1.0': {
    hasUnlabelled: false,
    filesOf: byPicture((folder, picture) => `${folder}/label_2/${picture}.txt`, lines(kittiLine)),
  },
  'YOLO 1.1': {
    hasUnlabelled: false,
    filesOf: (objects) => ({
      'classes.txt': 'car\n',
      ...byPicture(
        (folder, picture) => `labels/${folder}/${picture}.txt`,
        lines(yoloLine),
      )(objects),
    }),
  },
}
