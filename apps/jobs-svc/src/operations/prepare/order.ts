import { createHash } from 'node:crypto'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { compareNames } from '../../media/order.ts'
import { sniffedBytes, sniffFile } from '../../media/sniff.ts'
import { mapInBatches } from '../../storage/map-in-batches.ts'
import { UnusableInput } from '../../work/errors.ts'
import { ignore } from '../../work/report.ts'
import type { CreateWork } from '../../work/request-work.ts'
import type { FrameManifest } from '../sources/manifest.ts'
import type { SourceFile, SourceListing } from '../sources/source-listing.ts'

type OrderParams = Pick<CreateWork['params'], 'sorting_method' | 'job_file_mapping'>

export interface OrderDeps {
  listing: Pick<SourceListing, 'head'>
  manifest?: FrameManifest | undefined
  isArchive: boolean
  /** Seed of the random order: equal seeds give equal orders, so that another attempt makes the same frames. */
  seed: string
  report: ReportWriter
  signal: AbortSignal
}

/**
 * Orders files by `sorting_method`. With a mapping of files to jobs, selects the mapped files in the order of the
 * mapping.
 *
 * @throws UnusableInput when the list of the order does not match the files, or the method cannot be applied
 */
export async function orderFiles(
  files: SourceFile[],
  { sorting_method, job_file_mapping }: OrderParams,
  deps: OrderDeps,
): Promise<SourceFile[]> {
  const { manifest, isArchive, seed } = deps
  if (job_file_mapping) return listed(files, job_file_mapping, deps.report)
  switch (sorting_method) {
    case 'predefined':
      if (manifest) return asManifest(files, manifest, deps)
      if (isArchive)
        throw new UnusableInput(
          "The sorting method 'predefined' needs a manifest (*.jsonl) beside an archive",
        )
      return files
    case 'random':
      if (manifest)
        throw new UnusableInput("A manifest cannot be used with the sorting method 'random'")
      return shuffled(files.sort(byName('lexicographical')), seed)
    default:
      return files.sort(byName(sorting_method))
  }
}

const byName = (method: keyof typeof compareNames) => (a: SourceFile, b: SourceFile) =>
  compareNames[method](a.name, b.name)

type Mapping = NonNullable<OrderParams['job_file_mapping']>

function listed(
  files: readonly SourceFile[],
  mapping: Mapping,
  report: ReportWriter,
): SourceFile[] {
  const left = new Map(files.map((one) => [one.name, one]))
  const found = mapping
    .flatMap((job) => job.files)
    .map((name) => {
      const file = left.get(name)
      if (!file) throw new UnusableInput(`job_file_mapping: no image called '${name}' was sent`)
      left.delete(name)
      return file
    })
  for (const name of left.keys()) ignore(report, name, 'not listed in job_file_mapping')
  return found
}

/** Orders files by a manifest. Unlisted pictures are an error; unlisted members of an archive may be other files. */
async function asManifest(
  files: readonly SourceFile[],
  { places }: FrameManifest,
  { listing, report, signal }: OrderDeps,
): Promise<SourceFile[]> {
  const others = files.filter(({ name }) => !places.has(name))
  const kindOf = async (file: SourceFile) => sniffFile(await listing.head(file, sniffedBytes))
  const wrong: string[] = []
  for await (const [{ name }, kind] of mapInBatches(others, kindOf, signal)) {
    if (kind.is === 'image') wrong.push(`${name} (upload)`)
    else ignore(report, name, 'no image')
  }
  const there = new Set(files.map(({ name }) => name))
  for (const name of places.keys()) if (!there.has(name)) wrong.push(`${name} (manifest)`)
  if (wrong.length > 0)
    throw new UnusableInput(
      `Uploaded files do not match the manifest. Mismatching files: ${firstOf(wrong)}`,
    )
  const place = ({ name }: SourceFile) => places.get(name) ?? 0
  return files.filter(({ name }) => places.has(name)).sort((a, b) => place(a) - place(b))
}

const shown = 5

/** Formats the first five names and the number of the others. */
export function firstOf(names: readonly string[]): string {
  const more = names.length > shown ? ` (and ${names.length - shown} more)` : ''
  return `${names.slice(0, shown).join(', ')}${more}`
}

/** Shuffles files; every order is equally likely, within 32 bits per draw. */
function shuffled(files: SourceFile[], seed: string): SourceFile[] {
  const draw = draws(seed)
  for (let last = files.length - 1; last > 0; last--) {
    const other = Math.floor(draw() * (last + 1))
    const [a, b] = [files[last], files[other]]
    if (a && b) [files[last], files[other]] = [b, a]
  }
  return files
}

/** Creates a generator of numbers from 0 up to 1, by repeated hashing. */
function draws(seed: string): () => number {
  let hash = createHash('sha256').update(seed).digest()
  let at = 0
  return () => {
    if (at === hash.length) {
      hash = createHash('sha256').update(hash).digest()
      at = 0
    }
    at += 4
    return hash.readUInt32BE(at - 4) / 2 ** 32
  }
}
