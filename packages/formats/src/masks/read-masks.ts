/** Reads the masks of an image from its images of classes and objects. */
import type { ZipReader } from '../archive/zip-reader.ts'
import { parseColor } from '../image/colors.ts'
import type { Png } from '../image/png.ts'
import type { DatasetLabel } from '../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import { type LabelledMask, labelledMasks } from './class-pictures.ts'
import type { RasterSize } from './instances.ts'
import {
  classNamesName,
  labelMapName,
  type MapLabel,
  readClassNames,
  readLabelMap,
  vocLabels,
} from './label-map.ts'
import { readMaskPicture } from './picture.ts'

/** The mask images of an archive. */
export interface MaskPictures {
  zip: ZipReader
  /** Root folder of the dataset, with its trailing `/`. */
  root: string
  /** Members by image id. */
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

/** Path of a mask image below the root folder. */
export const maskPath = /^Segmentation(Class|Object)(?:PNG)?\/(.+)\.png$/i

/**
 * Reads the labels that the archive declares, if any.
 * @throws {FormatError} when mask images need a label file that is empty
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

/** Returns the file in the root folder, or else the only one with that name. */
function textFile(name: string, { zip, root }: MaskPictures) {
  const named = [...zip.files.values()].filter((one) => `/${one.name}`.endsWith(`/${name}`))
  return zip.files.get(`${root}${name}`) ?? (named.length === 1 ? named[0] : undefined)
}

/**
 * Returns the labels for an archive that declares none. Colours are those of the task's labels, then those of the VOC
 * dataset; grey values are the background and then the task's labels in order. Black is always the background.
 */
export function assumedLabels(labels: readonly DatasetLabel[]): MapLabel[] {
  const own = labels.map(({ name, color }) => {
    return { name, color: parseColor(color) || undefined, parts: [], actions: [] }
  })
  const [background, ...classes] = vocLabels
  return [...(background ? [background] : []), ...own, ...classes]
}

/** Origin of class names that neither the archive nor the task declares. */
export const vocOrigin =
  `${labelMapName} is not in the archive, so these colours are read as those of the Pascal VOC data set: ` +
  `add ${labelMapName} with a line "name:r,g,b::" for each class`

/**
 * Reads the masks of an image, including the background.
 * @param frame Size of the frame; when absent, any size is accepted.
 * @param onLost Called for everything that is left out.
 * @throws {FormatError} for objects without classes, invalid images, and colours without a label
 */
export async function readMasks(
  { zip, classes, objects }: MaskPictures,
  id: string,
  labels: readonly MapLabel[],
  frame: RasterSize | undefined,
  onLost: (reason: string, location: ErrorLocation) => void = () => undefined,
): Promise<LabelledMask[]> {
  const read = async (file: string | undefined, size?: RasterSize): Promise<Png | undefined> => {
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
  const location = { file }
  return labelledMasks(ofClasses, await read(objectFile, ofClasses), labels, location, (label) =>
    onLost(`pixels of class '${label}' are of no object`, location),
  )
}
