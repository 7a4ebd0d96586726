import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type Request, RequestFailed } from '@reticle/sdk'
import { explain } from '../explain.ts'
import { Failure } from '../failure.ts'
import type { Session } from '../session.ts'
import { version } from '../version.ts'

/** A running server of the de-facto standard: what its interface shares with ours is asked for by the same client, in its words. */

export interface SourceOptions {
  /** Where it is; for a Reticle its mount, `https://host/as/cvat`. */
  url: string
  token: string
  /** The slug of the workspace that is asked about; empty: the personal one. */
  organization: string
}

export function openSource({ url, token, organization }: SourceOptions): Client {
  return createClient({
    ...{ url, organization, user_agent: `reticle-cli/${version}` },
    headers: { accept: dialect, authorization: `${isOlder(token) ? 'Token' : 'Bearer'} ${token}` },
  })
}

/**
 * Looks whether it is there and takes the token, before anything is done.
 *
 * @throws Failure that tells it from the server that everything goes to
 */
export async function greet(source: Client, { signal, output }: Session): Promise<void> {
  try {
    const { name, version: theirs } = await source.getAbout({}, { signal })
    const { username } = await source.getSelf({}, { signal })
    output.note(`The source is ${name} ${theirs}, seen as ${username}.`)
  } catch (thrown) {
    signal.throwIfAborted()
    const { message, ending } = explain(thrown, signal)
    throw new Failure(`The source: ${message}`, {
      ...{ ending, code: 'source' },
      hint: 'Look at --from and at the token of the source (--token, RETICLE_SOURCE_TOKEN).',
    })
  }
}

/** Tokens of forty hexadecimal digits are of the older kind, which is announced by another word. */
const isOlder = (token: string) => /^[\da-f]{40}$/.test(token)
const dialect = 'application/vnd.cvat+json, application/json'

/** Between two questions how far it is: as often as clients of such servers ask. */
const pauseMs = { first: 200, longest: 5000 }

/**
 * Waits for work in the background of a source, which may know no other way than to be asked again and again.
 *
 * @throws RequestFailed
 */
export async function followSource(
  { signal, progress }: Session,
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
