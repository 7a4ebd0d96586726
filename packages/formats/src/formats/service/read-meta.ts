/** Reads `<meta>` for imports into a project: labels, subsets, and the frames of tasks. */
import { type FileAttribute, type FileLabel, labelTypes } from '../../model/file-labels.ts'
import type { Fail } from '../../text/numbers.ts'
import { declaredAttribute } from './declared-attribute.ts'
import { type ElementReader, ignoredElement } from './element-reader.ts'

/** An element with its text and child elements. */
export interface MetaNode {
  text: string
  inside: Map<string, MetaNode[]>
}

export const createNode = (): MetaNode => ({ text: '', inside: new Map() })

const known = new Set([
  'project',
  'tasks',
  'task',
  'job',
  'id',
  'subset',
  'subsets',
  'mode',
  'size',
  'start_frame',
  'stop_frame',
  'frame_filter',
  'original_size',
  'width',
  'height',
  'labels',
  'label',
  'name',
  'color',
  'type',
  'parent',
  'svg',
  'attributes',
  'attribute',
  'mutable',
  'input_type',
  'default_value',
  'values',
])

/** Maximum length of a description in characters. */
const most = 33_554_432

/** Creates a reader that stores an element in its node. */
export function createNodeReader(
  node: MetaNode,
  fail: Fail,
  budget = { left: most },
): ElementReader {
  const spend = (characters: number): void => {
    budget.left -= characters
    if (budget.left < 0) throw fail(`more than ${most} characters in <meta>`)
  }
  return {
    open(name) {
      if (!known.has(name)) return ignoredElement
      spend(nodeCost)
      const inner = createNode()
      const others = node.inside.get(name)
      if (others) others.push(inner)
      else node.inside.set(name, [inner])
      return createNodeReader(inner, fail, budget)
    },
    text(piece) {
      spend(piece.length)
      node.text += piece
    },
    close: () => undefined,
  }
}

/** Cost of a node in addition to its text. */
const nodeCost = 100

export interface DocumentMeta {
  /** True for a project; its images are in folders named after subsets. */
  isProject: boolean
  /** Subset of elements that name none. */
  subset: string
  tasks: DescribedTask[]
  labels: FileLabel[]
}

export interface DescribedTask {
  id: string
  subset: string
  isVideo: boolean
  /** Absolute frame numbers. */
  start: number
  step: number
  count: number
  /** Number of frames; for a job it exceeds `count`. */
  size: number
  /** Size of the video in pixels. */
  original: { width: number; height: number } | undefined
}

const defaultSubset = 'default'

export function describedIn(meta: MetaNode): DocumentMeta {
  const project = first(meta, 'project')
  if (project) {
    const tasks = all(first(project, 'tasks'), 'task').flatMap((task) => taskOf(task, task))
    const names = textOf(project, 'subsets').split('\n').filter(Boolean)
    const subset = names.length === 1 ? (names[0] ?? '') : defaultSubset
    return { isProject: true, subset, tasks, labels: labelsOf(project) }
  }
  const task = first(meta, 'task') ?? first(meta, 'job')
  if (!task) return { isProject: false, subset: defaultSubset, tasks: [], labels: [] }
  const tasks = taskOf(task, meta)
  const subset = textOf(task, 'subset') || defaultSubset
  return { isProject: false, subset, tasks, labels: labelsOf(task) }
}

/**
 * Reads the description of a task.
 * @param around Element that states whether a job belongs to a video.
 */
function taskOf(node: MetaNode, around: MetaNode): DescribedTask[] {
  const size = numberOf(node, 'size')
  const start = numberOf(node, 'start_frame') ?? 0
  const stop = numberOf(node, 'stop_frame')
  const step = Number(/^step\s*=\s*([1-9]\d{0,8})$/.exec(textOf(node, 'frame_filter'))?.[1] ?? 1)
  const count = stop === undefined ? size : Math.max(0, Math.floor((stop - start) / step) + 1)
  if (count === undefined) return []
  const mode = textOf(node, 'mode')
  const hasVideo = [node, around].some(({ inside }) => inside.has('original_size'))
  const isVideo = mode === '' ? hasVideo : mode === 'interpolation'
  const named = { id: textOf(node, 'id'), subset: textOf(node, 'subset') || defaultSubset }
  const original = sizeIn(first(node, 'original_size') ?? first(around, 'original_size'))
  return [{ ...named, isVideo, start, step, count, size: size ?? count, original }]
}

function sizeIn(node: MetaNode | undefined): DescribedTask['original'] {
  const width = node && numberOf(node, 'width')
  const height = node && numberOf(node, 'height')
  return width && height ? { width, height } : undefined
}

// ---- labels

/** Reads labels; skeletons contain the labels that name them as parent. */
function labelsOf(owner: MetaNode): FileLabel[] {
  const nodes = all(first(owner, 'labels'), 'label').filter((node) => textOf(node, 'name') !== '')
  const parts = new Map<string, MetaNode[]>()
  for (const node of nodes) {
    const parent = textOf(node, 'parent')
    if (parent !== '') parts.set(parent, [...(parts.get(parent) ?? []), node])
  }
  const labels = nodes
    .filter((node) => textOf(node, 'parent') === '')
    .map((node) => labelOf(node, parts.get(textOf(node, 'name')) ?? []))
  return uniqueByName(labels)
}

function labelOf(node: MetaNode, parts: readonly MetaNode[]): FileLabel {
  const own = ownFields(node)
  if (own.type !== 'skeleton' && parts.length === 0) return own
  const listed = parts.map(ownFields)
  // Label ids have no meaning in another project: skeleton elements are referred to by name.
  const svg = textOf(node, 'svg').replace(
    /\sdata-label-id\s{0,20}=\s{0,20}(?:"[^"]{0,40}"|'[^']{0,40}')/g,
    '',
  )
  const drawn = namesIn(svg).map((name): FileLabel => ({ name, type: 'points', attributes: [] }))
  const sublabels = uniqueByName([...listed, ...drawn])
  return { ...own, type: 'skeleton', sublabels, ...(svg !== '' && { svg }) }
}

function ownFields(node: MetaNode): FileLabel {
  const color = textOf(node, 'color').toLowerCase()
  const type = textOf(node, 'type')
  const attributes = all(first(node, 'attributes'), 'attribute').map(attributeOf)
  return {
    name: textOf(node, 'name'),
    type: labelTypes.find((one) => one === type) ?? 'any',
    ...(/^#[\da-f]{6}$/.test(color) && { color }),
    attributes: uniqueByName(attributes.filter(({ name }) => name !== '')),
  }
}

function attributeOf(node: MetaNode): FileAttribute {
  return declaredAttribute({
    name: textOf(node, 'name'),
    mutable: /^true$/i.test(textOf(node, 'mutable')),
    input_type: textOf(node, 'input_type'),
    values: first(node, 'values')?.text ?? '',
    default_value: first(node, 'default_value')?.text ?? '',
  })
}

/** Returns the skeleton elements that a drawing names. */
function namesIn(svg: string): string[] {
  const found = svg.matchAll(
    /\sdata-label-name\s{0,20}=\s{0,20}(?:"([^"]{1,400})"|'([^']{1,400})')/g,
  )
  return [...found].map(([, double, single]) => unescaped(double ?? single ?? ''))
}

const marks: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot);/g, (whole, name: string) => marks[name] ?? whole)

// ---- nodes

const all = (node: MetaNode | undefined, name: string): MetaNode[] => node?.inside.get(name) ?? []
const first = (node: MetaNode, name: string): MetaNode | undefined => all(node, name)[0]
const textOf = (node: MetaNode, name: string): string => first(node, name)?.text.trim() ?? ''

function numberOf(node: MetaNode, name: string): number | undefined {
  const text = textOf(node, name)
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Removes repeated names; the first one counts. */
function uniqueByName<T extends { name: string }>(list: readonly T[]): T[] {
  const seen = new Set<string>()
  return list.filter(({ name }) => !seen.has(name) && seen.add(name))
}
