import type { Carriage, Feature, Format, FormatOption } from '@reticle/formats/model/dataset'
import { type AnnotationKind, features, shapeTypes } from '@reticle/formats/model/dataset'
import { formats } from '@reticle/formats/registry'
import { introduction, optionWords } from './format-words.ts'

const kinds: readonly AnnotationKind[] = [...shapeTypes, 'tag']
const signs: Readonly<Record<Carriage, string>> = { kept: '✔', converted: '≈', dropped: '✖' }

/** Generates `docs/formats.md` from the descriptions of the formats. */
export function formatsPage(known: readonly Format[] = formats): string {
  const sorted = known.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const exported = sorted.filter(({ exporter }) => exporter)
  return [
    introduction.head,
    table(['Format', 'Other names', 'Export', 'Import', 'Into a project'], sorted.map(filesOf)),
    ...['', introduction.options, options(sorted), introduction.kinds],
    table(['Format', ...kinds], sorted.map(kindsOf)),
    ...['', introduction.features],
    table(['Format', ...features.map(featureName)], exported.map(featuresOf)),
    ...['', introduction.foot, introduction.matching],
  ].join('\n')
}

function filesOf({ name, aliases, exporter, importer }: Format): string[] {
  const typesOf = (side?: { extensions: readonly string[] }) => side?.extensions.join(', ') ?? '–'
  const intoProject = importer?.openDataset ? 'yes' : '–'
  return [name, aliases.join(', '), typesOf(exporter), typesOf(importer), intoProject]
}

/** The kinds of an import follow those of the export if they differ. */
function kindsOf({ name, exporter, importer }: Format): string[] {
  return [
    name,
    ...kinds.map((kind) => {
      const carried = exporter?.carries[kind] ?? 'dropped'
      const isRead = importer?.kinds.includes(kind) === true
      const isAlike = !importer || isRead === (carried === 'kept')
      return isAlike ? signs[carried] : `${signs[carried]} / ${isRead ? signs.kept : signs.dropped}`
    }),
  ]
}

const featuresOf = ({ name, exporter }: Format): string[] => [
  name,
  ...features.map((feature) => signs[exporter?.features[feature] ?? 'dropped']),
]

const featureName = (feature: Feature): string => feature.replaceAll('_', ' ')

function options(known: readonly Format[]): string {
  const rows = known.flatMap(({ name, exporter, importer }) => [
    ...(exporter?.options ?? []).map((option) => optionRow(name, 'export', option)),
    ...(importer?.options ?? []).map((option) => optionRow(name, 'import', option)),
  ])
  return `${table(['Format', 'Side', 'Option', 'Default', 'Effect'], rows)}\n`
}

function optionRow(format: string, side: string, option: FormatOption): string[] {
  const words = optionWords[option.name]
  if (words === undefined) throw new Error(`tools/codegen has no words for "${option.name}"`)
  return [format, side, `\`${option.name}\``, `\`${option.default}\``, words]
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
