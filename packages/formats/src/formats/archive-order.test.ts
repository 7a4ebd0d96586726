import { describe, expect, test } from 'vitest'
import type { Dataset, ItemFrame } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  labelOf,
  membersOf,
  shapeOf,
  trackOf,
  trackShapeOf,
} from '../testing/run.ts'

/**
 * The order of members in the archives of all formats: files that describe the dataset (labels, lists of images),
 * then annotations, then images. A member describes the dataset if it does not depend on the annotations. These tests
 * run for every exporter in the registry.
 */

const labels = ['road', 'car', 'a bus'].map((name, at) => labelOf({ id: at + 1, name }))
const isPicture = (name: string) => name.endsWith('.jpg')

const withPicture = (frame: ItemFrame): ItemFrame => ({
  ...frame,
  image: async function* () {
    yield Buffer.from('pixels')
  },
})

/** Objects on the frames of a task: annotation files differ between the even and the odd set. */
function annotationsOf(frames: readonly ItemFrame[], isEven: boolean) {
  const points = isEven ? [10, 20, 30, 50] : [11, 22, 33, 55]
  const full = frames.filter((_, at) => (at % 2 === 0) === isEven)
  const rest = frames.filter((one) => !full.includes(one))
  const shapes = [
    ...full.map(({ frame }) => shapeOf({ frame, points })),
    ...full.map(({ frame }) => shapeOf({ frame, type: 'mask', points: [0, 3, 1, 2, 6, 6, 8, 7] })),
    ...rest.map(({ frame }) => shapeOf({ frame, type: 'polyline', points: [1, 1, 9, 9] })),
  ]
  const tag = { label_id: 2, group: 0, source: 'file', attributes: [] }
  const tags = full.map(({ frame }) => ({ frame, ...tag }))
  const isLast = (frame: number) => frame === frames.at(-1)?.frame
  const tracks = full.map(({ frame }) => {
    const shape = trackShapeOf({ frame, points })
    const end = trackShapeOf({ frame: frame + 1, points, outside: true })
    return trackOf(isLast(frame) ? [shape] : [shape, end])
  })
  return { shapes, tags, tracks }
}

interface Wanted {
  isEven?: boolean
  saveImages?: boolean
}

function oneTask({ isEven = true, saveImages = true }: Wanted): Dataset {
  const frames = framesOf(['b.jpg', 'a.jpg', 'c/d.jpg']).map(withPicture)
  return datasetOf(labels, frames, annotationsOf(frames, isEven), { saveImages })
}

/** Three subsets that are not in the order of their names; frames of two subsets have the same names. */
function project(wanted: Wanted): Dataset {
  const paths = {
    train: ['b.jpg', 'a.jpg'],
    Abend: ['2.jpg', '10.jpg'],
    default: ['a.jpg', 'e.jpg'],
  }
  const subsets = Object.entries(paths).flatMap(([name, given]) => {
    const frames = framesOf(given).map(withPicture)
    return datasetOf(labels, frames, annotationsOf(frames, wanted.isEven ?? true), { name }).subsets
  })
  return { ...oneTask(wanted), subsets }
}

const nothing = (wanted: Wanted): Dataset => ({ ...oneTask(wanted), subsets: [] })

const sets = [
  ['a task', oneTask],
  ['a project of three subsets', project],
  ['a project without tasks', nothing],
] as const

const exported = formats.flatMap(({ name, exporter }) => (exporter ? [{ name, exporter }] : []))

describe.each(exported)('an archive of $name', ({ exporter }) => {
  const membersIn = async (dataset: Dataset) =>
    membersOf((await exportBytes(exporter, dataset)).bytes)

  test.each(sets)('of %s describes the dataset first and ends with images', async (_, setOf) => {
    const members = await membersIn(setOf({}))
    const others = await membersIn(setOf({ isEven: false }))
    const names = Object.keys(members)
    const rankOf = (name: string) => {
      if (isPicture(name)) return 2
      return members[name]?.equals(others[name] ?? Buffer.from('absent')) ? 0 : 1
    }
    expect(names).toEqual(names.toSorted((one, other) => rankOf(one) - rankOf(other)))
  })

  test.each(sets)('of %s has a stable order of members', async (_, setOf) => {
    const names = Object.keys(await membersIn(setOf({})))
    expect(Object.keys(await membersIn(setOf({})))).toEqual(names)
    const without = Object.keys(await membersIn(setOf({ saveImages: false })))
    expect(names.filter((name) => without.includes(name))).toEqual(without)
  })
})
