import { type Client, fromBytes } from '@reticle/sdk'
import type { CommandSession } from '../session.ts'
import { toFailure } from '../to-failure.ts'
import { type Finding, odd, well, wrong } from './finding.ts'

/** More than the default body limit of some proxies. */
const bytes = 2 * 1024 * 1024

/**
 * Uploads some bytes as media of a temporary task, to test proxies in between and the disks of the server. They are
 * not an image, so the server creates no frames.
 */
export async function tryUpload(client: Client, { signal }: CommandSession): Promise<Finding> {
  const check = 'upload'
  let id: number | undefined
  try {
    const task = await client.createTask({ body: { name: 'reticle doctor' } }, { signal })
    id = task.id
    const begun = Date.now()
    const file = fromBytes('doctor.bin', new Uint8Array(bytes))
    await client.uploadTaskData.send({ id, body: {} }, file, { signal })
    const ms = Math.max(1, Date.now() - begun)
    return well(check, `${bytes / 1024 ** 2} MiB in ${ms} ms`)
  } catch (thrown) {
    const { message, hint, ending } = toFailure(thrown, signal)
    if (ending === 'denied') return odd(check, `not tried: ${message}`)
    return wrong(check, message, hint ?? 'What is between may limit the size of a request.')
  } finally {
    if (id !== undefined) await dropTask(client, id)
  }
}

/** Deletes the task after the server has finished reading its media. */
async function dropTask(client: Client, id: number): Promise<void> {
  await client.follow(`action=create&target=task&target_id=${id}`).catch(() => undefined)
  await client.deleteTask({ id })
}
