import type { Client, Request, Started } from '@reticle/sdk'
import { formatBytes } from '../terminal/output.ts'
import type { CommandSession } from './command-session.ts'

/**
 * Waits for a request and shows its progress.
 *
 * @throws RequestFailed; an interruption does not cancel the request
 */
export async function followRequest(
  { progress, signal }: CommandSession,
  client: Client,
  started: Started | Promise<Started>,
  title: string,
): Promise<Request> {
  progress.step(title)
  try {
    return await client.follow(started, {
      signal,
      on_progress: (request) => progress.update(request.progress, detailOf(request)),
    })
  } finally {
    progress.stop()
  }
}

function detailOf({ status, message, queue_position, ...request }: Request): string {
  if (status === 'queued') return queue_position ? `${queue_position} wait before it` : 'waiting'
  if (status === 'failed') return '' // the message is part of the error that follows
  const { items_done, items_total, bytes_done, bytes_total, eta_seconds } = request
  const counted =
    items_done !== null && items_total !== null ? `${items_done} of ${items_total}` : ''
  const sized = bytes_done !== null && bytes_total !== null ? formatBytes(bytes_done) : ''
  const left =
    eta_seconds === null || status !== 'started' ? '' : `${Math.ceil(eta_seconds)} s left`
  return [message, counted || sized, left].filter(Boolean).join(', ')
}
