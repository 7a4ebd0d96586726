/** Writes `<meta>`: a description of the exported resource and its labels. */

import type { Dataset, DatasetLabel, TaskPart } from '../../model/dataset.ts'
import type { RecordDetails, TaskDetails, UserDetails } from '../../model/task-details.ts'
import { escapeText, escapeValue } from '../../xml/escape.ts'

/** An element: its name, and its text or child elements. */
type Node = readonly [name: string, content: string | number | readonly Node[]]

export function metaText(dataset: Dataset): string {
  const { about } = dataset
  const first = dataset.subsets[0]?.parts[0]
  const dumped: Node = ['dumped', dateText(about.dumped)]
  if (about.target === 'project' || !first) {
    return nodeText(['meta', [['project', projectNodes(dataset)], dumped]], '  ')
  }
  const labels: Node = ['labels', labelNodes(dataset.labels)]
  const video = videoNodes(first.about)
  const nodes = taskNodes(first, subsetOf(dataset, first), about.target === 'job')
  return about.target === 'task'
    ? nodeText(['meta', [['task', [...nodes, labels, ...video]], dumped]], '  ')
    : nodeText(['meta', [['job', [...nodes, labels]], ...video, dumped]], '  ')
}

function projectNodes(dataset: Dataset): Node[] {
  const { labels, subsets, about } = dataset
  const { project } = about
  const parts = subsets.flatMap((subset) => subset.parts.map((part) => ({ part, subset })))
  const tasks = parts
    .toSorted((a, b) => a.part.about.id - b.part.about.id)
    .map(({ part, subset }): Node => {
      return ['task', [...taskNodes(part, subset.name, false), ...videoNodes(part.about)]]
    })
  return [
    ...(project ? describedNodes(project) : []),
    ['tasks', tasks],
    ['labels', labelNodes(labels)],
    ['subsets', subsets.map(({ name }) => name).join('\n')],
    ...(project ? peopleNodes(project) : []),
  ]
}

function subsetOf({ subsets }: Dataset, part: TaskPart): string {
  return subsets.find(({ parts }) => parts.includes(part))?.name ?? ''
}

function describedNodes({
  id,
  name,
  bug_tracker,
  created_date,
  updated_date,
}: RecordDetails): Node[] {
  return [
    ['id', id],
    ['name', name],
    ['bugtracker', bug_tracker],
    ['created', dateText(created_date)],
    ['updated', dateText(updated_date)],
  ]
}

function peopleNodes({ owner, assignee }: RecordDetails): Node[] {
  return [personNode('owner', owner), personNode('assignee', assignee)]
}

function personNode(name: string, person: UserDetails | null): Node {
  if (!person) return [name, '']
  return [
    name,
    [
      ['username', person.username],
      ['email', person.email],
    ],
  ]
}

function taskNodes({ about }: TaskPart, subset: string, isJob: boolean): Node[] {
  const name: Node[] = isJob ? [] : [['name', about.name]]
  return [
    ['id', about.id],
    ...name,
    ['size', about.size],
    ['mode', about.mode],
    ['overlap', about.overlap],
    ['bugtracker', about.bug_tracker],
    ['created', dateText(about.created_date)],
    ['updated', dateText(about.updated_date)],
    ['subset', subset],
    ['start_frame', about.start_frame],
    ['stop_frame', about.stop_frame],
    ['frame_filter', about.frame_filter],
    ['segments', about.segments.map(segmentNode)],
    ...peopleNodes(about),
  ]
}

function segmentNode({ id, start_frame, stop_frame, url }: TaskDetails['segments'][number]): Node {
  return [
    'segment',
    [
      ['id', id],
      ['start', start_frame],
      ['stop', stop_frame],
      ['url', url],
    ],
  ]
}

function videoNodes({ video }: TaskDetails): Node[] {
  if (!video) return []
  const { width, height, name } = video
  return [
    [
      'original_size',
      [
        ['width', width],
        ['height', height],
      ],
    ],
    ['source', name],
  ]
}

/** Returns the nodes of labels; skeleton elements follow all others. */
function labelNodes(labels: readonly DatasetLabel[]): Node[] {
  const parts = labels.flatMap((parent) => parent.sublabels.map((part) => labelNode(part, parent)))
  return [...labels.map((label) => labelNode(label)), ...parts]
}

function labelNode(label: DatasetLabel, parent?: DatasetLabel): Node {
  const { name, color = '', type, attributes, svg } = label
  const drawing: Node[] = svg === undefined ? [] : [['svg', withNames(svg, label)]]
  const last: Node[] = parent ? [['parent', parent.name]] : drawing
  const specs = attributes.map((spec): Node => {
    return [
      'attribute',
      [
        ['name', spec.name],
        ['mutable', spec.mutable ? 'True' : 'False'],
        ['input_type', spec.input_type],
        ['default_value', spec.default_value],
        ['values', spec.values.join('\n')],
      ],
    ]
  })
  return [
    'label',
    [['name', name], ['color', color], ['type', type], ['attributes', specs], ...last],
  ]
}

/** Replaces label ids in a drawing by names, because ids have no meaning elsewhere. */
function withNames(svg: string, { sublabels }: DatasetLabel): string {
  const names = new Map(sublabels.map(({ id, name }) => [String(id), name]))
  return svg.replace(/data-label-id="(\d+)"/g, (whole, id: string) => {
    const name = names.get(id)
    return name === undefined ? whole : `data-label-name="${escapeValue(name)}"`
  })
}

/** Formats a date: `2026-01-05 11:34:24.617000+00:00`. */
function dateText(date: string): string {
  const iso = new Date(date).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}000+00:00`
}

function nodeText([name, content]: Node, indent: string): string {
  if (typeof content === 'number') return `${indent}<${name}>${content}</${name}>\n`
  if (typeof content === 'string') return `${indent}<${name}>${escapeText(content)}</${name}>\n`
  const inner = content.map((node) => nodeText(node, `${indent}  `)).join('')
  return `${indent}<${name}>\n${inner}${indent}</${name}>\n`
}
