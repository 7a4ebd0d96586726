import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type Request, RequestFailed } from '@reticle/sdk'
import { Failure } from '../failures/failure.ts'
import { toFailure } from '../failures/to-failure.ts'
import type { CommandSession } from '../session/command-session.ts'
import { version } from '../session/version.ts'

/**
 * Client of a CVAT-compatible source server. The shared part of the API is called with the same client, in the
 * dialect of CVAT.
 */

export interface SourceOptions {
  /** URL of the server; for Reticle that of its CVAT mount, `https://host/as/cvat`. */
  url: string
  token: string
  /** Slug of the workspace to read; empty: the personal one. */
  organization: string
}

export function openSource({ url, token, organization }: SourceOptions): Client {
  return createClient({
    url,
    organization,
    user_agent: `reticle-cli/${version}`,
    headers: { accept: dialect, authorization: `${isOlder(token) ? 'Token' : 'Bearer'} ${token}` },
  })
}

/**
 * Checks the connection and the token before anything is migrated.
 *
 * @throws Failure that names the source, to distinguish it from the target
 */
export async function checkSource(
  source: Client,
  { signal, output }: CommandSession,
): Promise<void> {
  try {
    const { name, version: theirs } = await source.getAbout({}, { signal })
    const { username } = await source.getSelf({}, { signal })
    output.note(`The source is ${name} ${theirs}, seen as ${username}.`)
  } catch (thrown) {
    signal.throwIfAborted()
    const { message, ending } = toFailure(thrown, signal)
    throw new Failure(`The source: ${message}`, {
      ending,
      code: 'source',
      hint: 'Check --from and the token of the source (--token, RETICLE_SOURCE_TOKEN).',
    })
  }
}

/** Tokens of forty hexadecimal digits have the older type, which needs a different authorization scheme. */
const isOlder = (token: string) => /^[\da-f]{40}$/.test(token)
const dialect = 'application/vnd.cvat+json, application/json'

/** Polling interval in milliseconds, as usual for clients of such servers. */
const pauseMs = { first: 200, longest: 5000 }

/**
 * Waits for a request of the source by polling, which every such server supports.
 *
 * @throws RequestFailed
 */
export async function followSource(
  { signal, progress }: CommandSession,
  source: Client,
  rq_id: string,
): Promise<Request> {
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 1.5, pauseMs.longest)) {
    const request = await source.getRequest({ rq_id }, { signal })
    if (request.status === 'finished') return request
    if (request.status === 'failed') throw new RequestFailed(request)
    progress.update(request.progress ?? 0, request.status === 'queued' ? 'waiting' : '')
    await sleep(pause, undefined, { signal })
  }
}
