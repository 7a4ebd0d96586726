import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client, Request } from '@reticle/sdk'
import { saveTo } from '@reticle/sdk/node'
import { Failure, misused } from '../failure.ts'
import type { Session } from '../session.ts'
import { bytesText } from '../terminal/output.ts'

/** @throws Failure where something is there already, a folder also with `force` */
export async function assertFree(path: string | undefined, force: boolean): Promise<void> {
  const there = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (there?.isDirectory())
    throw misused(`${path} is a folder`, 'Name the file within it that is to be written.')
  if (there && !force)
    throw new Failure(`${path} is there already`, {
      ending: 'refused',
      code: 'exists',
      hint: 'Choose another name with --output, or replace it with --force.',
    })
}

export interface Wanted {
  client: Client
  request: Request
  /** Where to; undefined: the name that the server gives, in this folder. */
  output: string | undefined
  force: boolean
}

/**
 * Fetches the file of a finished request. What a former run has fetched of it stays, and the file appears when it is whole.
 *
 * @returns where it is
 */
export async function fetchResult(
  { progress, signal }: Session,
  { client, request, output, force }: Wanted,
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
          `${bytesText(done)}${total ? ` of ${bytesText(total)}` : ''}`,
        ),
    })
  } finally {
    progress.stop()
  }
  return { path, bytes: (await stat(path)).size }
}

/** As the server calls it, whatever else the name would lead to. */
async function nameOf(client: Client, request: Request): Promise<string> {
  const file = await client.download(request)
  await file.cancel()
  const name = basename((file.filename ?? '').replaceAll('\\', '/')).replace(/^\.+/, '')
  return join('.', name || `${request.operation.target}.zip`)
}
