import type { Format } from '@reticle/sdk'

/** Words in file names that indicate a format whose name they do not contain. */
const hints: readonly [word: RegExp, format: RegExp][] = [
  [/instances|captions|person_keypoints/, /^coco/],
  [/pascal/, /voc/],
  [/cvat|annotations\.xml/, /^service 1/],
  [/darknet/, /^yolo/],
  [/tf_?record/, /^tfrecord/],
  [/seg(mentation)?[ _-]?mask/, /^segmentation/],
]

/** Guesses the format of a file by its name; `undefined` if nothing matches. */
export function guessFormat(filename: string, formats: readonly Format[]): Format | undefined {
  const name = filename.toLowerCase()
  const fitting = formats.filter(({ ext }) => acceptsFile(ext, name))
  const named = fitting.find((format) => name.includes(firstWord(format)))
  if (named) return named
  const [, hinted] = hints.find(([word]) => word.test(name)) ?? []
  const meant = fitting.find((format) => hinted?.test(format.name.toLowerCase()))
  return meant ?? (fitting.length === 1 ? fitting[0] : undefined)
}

const acceptsFile = (extensions: string, name: string) =>
  extensions.split(',').some((one) => name.endsWith(`.${one.trim().toLowerCase()}`))

const firstWord = ({ name }: Format) => name.toLowerCase().split(' ')[0] ?? name
