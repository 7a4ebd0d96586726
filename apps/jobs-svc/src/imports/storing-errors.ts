import { decodeRows, type RowKind, rowColumns } from '@reticle/contracts/row-lines'
import type { ConversionRun, DatasetLabel, ImportTarget } from '@reticle/formats/model/dataset'
import { FormatError } from '@reticle/formats/report/errors'
import { DomainError } from '@reticle/kit'
import type { Staged } from '../operations/staging.ts'
import { UnusableInput } from '../work/errors.ts'
import { sentenceOf } from '../work/failure.ts'

/** Attribute values that the service may refuse to store; the first one is kept, with its position in the file. */
export interface UnlistedValues extends Required<Pick<ConversionRun, 'onUnlistedValue'>> {
  first(): FormatError | undefined
}

export function keepUnlistedValues(): UnlistedValues {
  let kept: FormatError | undefined
  return {
    onUnlistedValue: (refusal) => {
      kept ??= refusal
    },
    first: () => kept,
  }
}

interface Stored {
  rows: Pick<Staged, 'read'>
  into: Pick<ImportTarget, 'labels'> & { frames: Pick<ImportTarget['frames'], 'frames'> }
  unlisted: UnlistedValues
  /** Name of the upload. */
  file: string
}

/**
 * Names file, picture, label and attribute in a refusal to store annotations. The storing service names an object by
 * its index in a list and an attribute by its id, which the user does not see.
 */
export async function namingObject(thrown: unknown, stored: Stored): Promise<unknown> {
  if (!(thrown instanceof DomainError) || thrown.kind !== 'invalid') return thrown
  if (thrown.code === 'label_invalid' || thrown.code === 'attribute_invalid')
    return new UnusableInput('The labels changed while the file was read. Import the file again')
  const value = thrown.code === 'attribute_value_invalid' ? stored.unlisted.first() : undefined
  if (value) return value
  const [, list, index, field = '', text = ''] = place.exec(sentenceOf(thrown)) ?? []
  const kind = list === undefined ? undefined : kinds.get(list)
  return kind ? describe({ kind, index: Number(index), field, text }, stored) : thrown
}

const place = /^(tags|shapes|tracks)\[(\d+)\]\.?(.*?): (.*)$/s
const kinds = new Map<string, RowKind>([
  ['tags', 'tag'],
  ['shapes', 'shape'],
  ['tracks', 'track'],
])

interface Refused {
  kind: RowKind
  index: number
  /** Field of the object, such as `attributes[0].value`. */
  field: string
  text: string
}

async function describe(
  { kind, index, field, text }: Refused,
  { rows, into, file }: Stored,
): Promise<FormatError> {
  const columns = await findRow(rows, kind, index)
  const column = (name: 'frame' | 'label_id'): number =>
    Number(columns[rowColumns[kind].indexOf(name)])
  const picture = into.frames.frames[column('frame')]?.path
  const label = into.labels.find(({ id }) => id === column('label_id'))
  const of = label ? `${kind} of label '${label.name}'` : kind
  const name = field.replace(/\[\d+\]/g, '')
  const reason = [of, name, namingAttribute(text, into.labels)].filter(Boolean).join(': ')
  return new FormatError(reason, { file, record: picture && `picture ${picture}` })
}

async function findRow(
  rows: Stored['rows'],
  kind: RowKind,
  index: number,
): Promise<readonly string[]> {
  let next = 0
  for await (const batch of decodeRows(rows.read()))
    for (const row of batch)
      if (row.kind === kind) {
        if (next === index) return row.columns
        next += 1
      }
  return []
}

/** Replaces ids of attributes by their names. */
function namingAttribute(text: string, labels: readonly DatasetLabel[]): string {
  const specs = labels
    .flatMap((label) => [label, ...label.sublabels])
    .flatMap((one) => one.attributes)
  return text.replace(/spec_id (\d+)/g, (whole, id: string) => {
    const spec = specs.find((one) => one.id === Number(id))
    return spec ? `attribute '${spec.name}'` : whole
  })
}
