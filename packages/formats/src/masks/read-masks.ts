/** The masks of an image, as its pictures have them (spec/formats.md 10.3 and 11.2). */
import type { ZipReader } from '../archive/zip-reader.ts'
import { parseColor } from '../colors.ts'
import { FormatError, type Place } from '../errors.ts'
import type { Png } from '../image/png.ts'
import type { Label } from '../model.ts'
import { type LabelledMask, labelledMasks } from './class-pictures.ts'
import type { Size } from './instances.ts'
import {
  classNamesName,
  labelMapName,
  type MapLabel,
  readClassNames,
  readLabelMap,
  vocLabels,
} from './label-map.ts'
import { readMaskPicture } from './picture.ts'

/** The pictures of masks in an archive. */
export interface MaskPictures {
  zip: ZipReader
  /** The folder of the data set, with its last `/`. */
  root: string
  /** Members by the ids of their images. */
  classes: ReadonlyMap<string, string>
  objects: ReadonlyMap<string, string>
}

export function maskPictures(zip: ZipReader, root: string): MaskPictures {
  const classes = new Map<string, string>()
  const objects = new Map<string, string>()
  for (const name of [...zip.files.keys()].sort()) {
    const [, kind, id = ''] = maskPath.exec(name.slice(root.length)) ?? []
    if (kind && name.startsWith(root)) (kind === 'Class' ? classes : objects).set(id, name)
  }
  return { zip, root, classes, objects }
}

/** Of a picture, below the folder of the data set. */
export const maskPath = /^Segmentation(Class|Object)(?:PNG)?\/(.+)\.png$/i

/**
 * The labels that the archive declares, if it does.
 * @throws {FormatError} when a file of labels that pictures need has none
 */
export async function readDeclared(pictures: MaskPictures): Promise<MapLabel[] | undefined> {
  const { zip } = pictures
  const map = textFile(labelMapName, pictures)
  const file = map ?? textFile(classNamesName, pictures)
  if (!file) return undefined
  const read = map ? readLabelMap : readClassNames
  const labels = read(await zip.bytes(file), file.name)
  if (labels.length === 0 && pictures.classes.size > 0)
    throw new FormatError('the file has no labels', { file: file.name })
  return labels
}

/** In the folder of the data set, else the only one of that name. */
function textFile(name: string, { zip, root }: MaskPictures) {
  const named = [...zip.files.values()].filter((one) => `/${one.name}`.endsWith(`/${name}`))
  return zip.files.get(`${root}${name}`) ?? (named.length === 1 ? named[0] : undefined)
}

/**
 * Where nothing is declared, colours are those of the labels of the task, then those of the VOC data set; grey pictures have the background
 * and then the labels of the task, in their order. Black is the background always.
 */
export function assumedLabels(labels: readonly Label[]): MapLabel[] {
  const own = labels.map(({ name, color }) => {
    return { name, color: parseColor(color) || undefined, parts: [], actions: [] }
  })
  const [background, ...classes] = vocLabels
  return [...(background ? [background] : []), ...own, ...classes]
}

/** Where names of classes are from that neither the archive nor the task has. */
export const vocOrigin =
  `${labelMapName} is not in the archive, so these colours are read as those of the Pascal VOC data set: ` +
  `add ${labelMapName} with a line "name:r,g,b::" for each class`

/**
 * The masks of an image, the background among them.
 * @param frame absent where it is not known: pictures may have any size then
 * @param onLost told of what is left out
 * @throws {FormatError} for objects without classes, pictures that are none, and colours that no label has
 */
export async function readMasks(
  { zip, classes, objects }: MaskPictures,
  id: string,
  labels: readonly MapLabel[],
  frame: Size | undefined,
  onLost: (reason: string, place: Place) => void = () => undefined,
): Promise<LabelledMask[]> {
  const read = async (file: string | undefined, size?: Size): Promise<Png | undefined> => {
    const entry = zip.files.get(file ?? '')
    return entry && readMaskPicture(await zip.bytes(entry), size, { file })
  }
  const [file, objectFile] = [classes.get(id), objects.get(id)]
  if (file === undefined && objectFile !== undefined) {
    const reason = 'there is no picture of classes beside it, so that its objects have no labels'
    throw new FormatError(reason, { file: objectFile })
  }
  const ofClasses = await read(file, frame)
  if (!ofClasses) return []
  const place = { file }
  return labelledMasks(ofClasses, await read(objectFile, ofClasses), labels, place, (label) =>
    onLost(`pixels of class '${label}' are of no object`, place),
  )
}
