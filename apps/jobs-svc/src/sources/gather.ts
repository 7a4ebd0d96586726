import { cloudFiles } from '../buckets/cloud-files.ts'
import { UnusableInput } from '../operations/operation.ts'
import type { CreateWork } from '../requests/work.ts'
import type { SourceDeps } from './deps.ts'
import { type Found, wholeObject } from './found.ts'
import { remoteFiles } from './remote-files.ts'
import { serverFiles } from './server-files.ts'

/**
 * Gathers all files that a request names, in their order: uploaded files (sorted by `upload_file_order` if given),
 * files of the share or of a cloud storage, remote files.
 *
 * @throws UnusableInput naming a file that is missing or listed twice
 */
export async function gatherFiles(
  params: CreateWork['params'],
  deps: SourceDeps,
): Promise<Found[]> {
  const files = uploaded(params)
  for (const file of await serverFiles(params, deps)) files.push(file)
  for (const file of await cloudFiles(params, deps)) files.push(file)
  const taken = new Set(files.map(({ name }) => name))
  for (const file of await remoteFiles(params, taken, deps)) files.push(file)
  assertDifferent(files)
  return withMapping(files, params)
}

function withMapping(files: Found[], { job_file_mapping }: CreateWork['params']): Found[] {
  if (!job_file_mapping) return files
  const listed = new Set(job_file_mapping.flatMap((job) => job.files))
  for (const file of files)
    if (listed.has(file.name)) file.named ??= `job_file_mapping: ${file.name}`
  return files
}

function uploaded({ files, sorting_method, upload_file_order }: CreateWork['params']): Found[] {
  const found = files.map(({ name, key, size }) => wholeObject(name, key, size))
  if (sorting_method !== 'predefined' || upload_file_order.length === 0) return found
  const places = new Map(upload_file_order.map((name, place) => [name, place]))
  const place = ({ name }: Found) => places.get(name) ?? 0
  return found.sort((a, b) => place(a) - place(b))
}

function assertDifferent(files: readonly Found[]): void {
  const seen = new Set<string>()
  for (const { name } of files) {
    if (seen.has(name)) throw new UnusableInput(`There are two files called '${name}'`)
    seen.add(name)
  }
}
