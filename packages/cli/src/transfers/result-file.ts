import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client, Request } from '@reticle/sdk'
import { saveTo } from '@reticle/sdk/node'
import { Failure, usageFailure } from '../failures/failure.ts'
import type { CommandSession } from '../session/command-session.ts'
import { formatBytes } from '../terminal/output.ts'

/**
 * Checks that the output path is free.
 *
 * @throws Failure if the path exists and `force` is not set, and always for a folder
 */
export async function assertFree(path: string | undefined, force: boolean): Promise<void> {
  const there = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (there?.isDirectory())
    throw usageFailure(`${path} is a folder`, 'Name the file within it that is to be written.')
  if (there && !force)
    throw new Failure(`${path} is there already`, {
      ending: 'refused',
      code: 'exists',
      hint: 'Choose another name with --output, or replace it with --force.',
    })
}

export interface ResultDownload {
  client: Client
  request: Request
  /** Path of the output; undefined: the name from the server, in the current folder. */
  output: string | undefined
  force: boolean
}

/**
 * Downloads the file of a finished request. An interrupted download resumes, and the file appears when it is
 * complete.
 *
 * @returns the path of the file
 */
export async function fetchResult(
  { progress, signal }: CommandSession,
  { client, request, output, force }: ResultDownload,
): Promise<{ path: string; bytes: number }> {
  progress.step('Downloading')
  const path = output ?? (await nameOf(client, request))
  await assertFree(path, force)
  await mkdir(dirname(path), { recursive: true })
  try {
    await saveTo(client, request, path, {
      signal,
      on_progress: (done, total) =>
        progress.update(
          total ? done / total : 0,
          `${formatBytes(done)}${total ? ` of ${formatBytes(total)}` : ''}`,
        ),
    })
  } finally {
    progress.stop()
  }
  return { path, bytes: (await stat(path)).size }
}

/** Returns the file name from the server, reduced to a safe base name. */
async function nameOf(client: Client, request: Request): Promise<string> {
  const file = await client.download(request)
  await file.cancel()
  const name = basename((file.filename ?? '').replaceAll('\\', '/')).replace(/^\.+/, '')
  return join('.', name || `${request.operation.target}.zip`)
}
