import { UnusableInput } from '../../work/errors.ts'
import type { CreateWork } from '../../work/request-work.ts'
import { cloudFiles } from './cloud-files.ts'
import type { SourceDeps } from './deps.ts'
import { remoteFiles } from './remote-files.ts'
import { gatherServerFiles } from './server-files.ts'
import { type SourceFile, toSourceFile } from './source-listing.ts'

/**
 * Gathers all files that a request names, in their order: uploaded files (sorted by `upload_file_order` if given),
 * files of the share or of a cloud storage, remote files.
 *
 * @throws UnusableInput naming a file that is missing or listed twice
 */
export async function gatherFiles(
  params: CreateWork['params'],
  deps: SourceDeps,
): Promise<SourceFile[]> {
  const files = uploaded(params)
  for (const file of await gatherServerFiles(params, deps)) files.push(file)
  for (const file of await cloudFiles(params, deps)) files.push(file)
  const taken = new Set(files.map(({ name }) => name))
  for (const file of await remoteFiles(params, taken, deps)) files.push(file)
  assertDifferent(files)
  return withMapping(files, params)
}

function withMapping(
  files: SourceFile[],
  { job_file_mapping }: CreateWork['params'],
): SourceFile[] {
  if (!job_file_mapping) return files
  const listed = new Set(job_file_mapping.flatMap((job) => job.files))
  for (const file of files)
    if (listed.has(file.name)) file.named ??= `job_file_mapping: ${file.name}`
  return files
}

function uploaded({
  files,
  sorting_method,
  upload_file_order,
}: CreateWork['params']): SourceFile[] {
  const found = files.map(({ name, key, size }) => toSourceFile(name, key, size))
  if (sorting_method !== 'predefined' || upload_file_order.length === 0) return found
  const places = new Map(upload_file_order.map((name, place) => [name, place]))
  const place = ({ name }: SourceFile) => places.get(name) ?? 0
  return found.sort((a, b) => place(a) - place(b))
}

function assertDifferent(files: readonly SourceFile[]): void {
  const seen = new Set<string>()
  for (const { name } of files) {
    if (seen.has(name)) throw new UnusableInput(`There are two files called '${name}'`)
    seen.add(name)
  }
}
