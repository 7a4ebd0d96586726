import { randomUUID } from 'node:crypto'
import { ApiError, type Client, type Request, RequestFailed, type Started } from '@reticle/sdk'
import type { CommandSession } from '../session/command-session.ts'
import { followRequest } from '../session/follow.ts'
import { formatReport } from '../terminal/report.ts'
import type { Journal } from './journal.ts'

export interface RequestRun {
  client: Client
  journal: Journal
  /** Title of the progress display. */
  title: string
  /** Whether a running request of the same kind is an acceptable result. */
  isSame: boolean
  /** Starts the request. @param key idempotency key, also of a former run that died before the response */
  start(key: string): Promise<Started>
}

/**
 * Starts a request and waits for its end, or waits for the request that a former run started.
 *
 * @throws RequestFailed after printing its report; the next run starts a new request
 */
export async function runRequest(session: CommandSession, work: RequestRun): Promise<Request> {
  const { client, journal, title } = work
  const former = await formerRequest(session, work)
  if (former) session.output.note(`Going on with ${former.id}.`)
  const rq_id = former?.id ?? (await beginRequest(session, work))
  try {
    return await followRequest(session, client, rq_id, title)
  } catch (thrown) {
    if (thrown instanceof RequestFailed)
      for (const line of formatReport(thrown.request.report, 'Report')) session.output.note(line)
    if (!session.signal.aborted) await journal.note(nothing)
    throw thrown
  }
}

/** State that makes the next run start a new request. */
const nothing = { rq_id: undefined, created_date: undefined, start_key: undefined }

/** Returns the request of a former run, unless it failed or its id was reused. */
async function formerRequest(
  session: CommandSession,
  { client, journal }: RequestRun,
): Promise<Request | undefined> {
  const state = await journal.read()
  if (state?.rq_id === undefined) return undefined
  const request = await findRequest(session, client, state.rq_id)
  const isIt = request?.created_date === state.created_date
  if (isIt && request?.status !== 'failed') return request
  await journal.note(nothing)
  return undefined
}

async function findRequest(
  { signal }: CommandSession,
  client: Client,
  rq_id: string,
): Promise<Request | undefined> {
  try {
    return await client.getRequest({ rq_id }, { signal })
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return undefined
    throw thrown
  }
}

async function beginRequest(session: CommandSession, work: RequestRun): Promise<string> {
  const { client, journal } = work
  const start_key = (await journal.read())?.start_key ?? randomUUID()
  await journal.note({ start_key })
  const rq_id = await startRequest(work, start_key)
  const { created_date } = await client.getRequest({ rq_id }, { signal: session.signal })
  await journal.note({ rq_id, created_date })
  return rq_id
}

async function startRequest({ journal, start, isSame }: RequestRun, key: string): Promise<string> {
  try {
    const answer = await start(key)
    return typeof answer === 'string' ? answer : answer.rq_id
  } catch (thrown) {
    if (thrown instanceof ApiError) await journal.note(nothing) // a repeat with the same key would return the same error
    const running = thrown instanceof ApiError && thrown.status === 409 ? thrown.rq_id : null
    if (running === null || !isSame) throw thrown
    return running
  }
}
