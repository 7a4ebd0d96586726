import type { Exporter, Format, Importer } from '@reticle/formats/model/dataset'
import { describeUnknown, findExporter, findImporter } from '@reticle/formats/registry'
import { FormatError } from '@reticle/formats/report/errors'
import { type DomainError, invalid, invalidText } from '@reticle/kit'

/**
 * Finds the export format that a caller names, for media of a dimension.
 *
 * @throws DomainError invalid with the texts of CVAT
 */
export function chooseExporter(name: string | undefined, dimension: string): Format {
  const format = findExporter(name ?? '')
  if (!format) throw unknownName('Unknown format specified for the request', name, 'exporter')
  assertDimension(format, dimension)
  return format
}

/**
 * Finds the import format that a caller names, for media of a dimension.
 *
 * @throws DomainError invalid with the texts of CVAT
 */
export function chooseImporter(name: string | undefined, dimension: string): Format {
  if (name === undefined || name === '')
    throw invalid({ format: 'This field is required.' }, 'required')
  const format = findImporter(name)
  if (!format) throw unknownName('Unknown input format', name, 'importer')
  assertDimension(format, dimension)
  return format
}

function unknownName(problem: string, name = '', side: 'importer' | 'exporter'): DomainError {
  const given = name === '' ? '' : ` '${name.slice(0, 100)}'`
  return invalidText(`${problem}${given}. ${describeUnknown(name, side)}`, 'format_unknown')
}

function assertDimension({ name, dimension: own }: Format, dimension: string): void {
  if (own === dimension) return
  throw invalidText(
    `The format '${name}' is for ${own} data, this data is ${dimension}`,
    'format_dimension',
  )
}

/** Returns the exporter of an accepted request; a request of a newer version may name an unknown format. */
export function exporterOf(name: string): Exporter {
  return findExporter(name)?.exporter ?? unknown(name)
}

/** Returns the importer of an accepted request. */
export function importerOf(name: string): Importer {
  return findImporter(name)?.importer ?? unknown(name)
}

function unknown(name: string): never {
  throw new FormatError(`the format '${name}' is not known to this worker`)
}
