import type { BackedUp } from '@reticle/contracts/rest/backups'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type ArchiveLimits, openZip, type ZipReader } from '@reticle/formats/archive/zip-reader'
import { FormatError } from '@reticle/formats/report/errors'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { formatIssue, formatPath } from '@reticle/kit/call/validation'
import type { z } from 'zod'
import { blobSource } from '../storage/stored-file.ts'
import { UnusableInput } from '../work/errors.ts'

/** Backup archive that is read in place. */
export interface BackupArchive {
  zip: ZipReader
  file: UploadedFile
  /** Folder of each task: empty for the archive of a task, else `task_0/` and so on. */
  folders: readonly string[]
}

/**
 * Opens an archive of a project or of a task.
 *
 * @throws UnusableInput for another archive, FormatError for a damaged one
 */
export async function openBackup(
  blobs: Pick<BlobStore, 'get'>,
  file: UploadedFile,
  target: BackedUp,
  limits: ArchiveLimits,
): Promise<BackupArchive> {
  const zip = await openZip(blobSource(blobs, file), limits).catch((thrown) => {
    throw thrown instanceof FormatError
      ? new FormatError(thrown.message, { file: file.name })
      : thrown
  })
  const has = (one: BackedUp) => zip.files.has(`${one}.json`)
  if (has(target)) return { zip, file, folders: target === 'task' ? [''] : foldersIn(zip) }
  const other = has('task') ? 'task' : 'project'
  throw new UnusableInput(
    has(other)
      ? `The archive is a backup of a ${other}, not of a ${target}: restore it as a ${other}`
      : 'The archive is not a backup: it has neither project.json nor task.json. A data set is imported',
  )
}

function foldersIn({ files }: ZipReader): string[] {
  const numbers = [...files.keys()].flatMap(
    (name) => /^task_(\d{1,9})\/task\.json$/.exec(name)?.[1] ?? [],
  )
  return numbers.sort((one, other) => Number(one) - Number(other)).map((one) => `task_${one}/`)
}

/** Limit in bytes of a document, which is read whole. */
const longestDocument = 64 * 1024 ** 2

/**
 * Reads a document of an archive; undefined if it is missing.
 *
 * @throws FormatError naming the member and the field
 */
export async function readDocument<S extends z.ZodType>(
  { zip }: Pick<BackupArchive, 'zip'>,
  file: string,
  schema: S,
): Promise<z.infer<S> | undefined> {
  const entry = zip.files.get(file)
  if (!entry) return undefined
  const text = Buffer.from(await zip.bytes(entry, longestDocument)).toString()
  const read = schema.safeParse(parsed(text, file), { error: formatIssue })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = (issue?.path ?? []).map(String)
  const what = issue?.message ?? 'it cannot be read'
  throw new FormatError(path.length > 0 ? `${formatPath(path)}: ${what}` : what, { file })
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FormatError('this is no JSON', { file })
  }
}
