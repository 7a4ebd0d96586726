import { randomUUID } from 'node:crypto'
import { ApiError, type Client, type Request, RequestFailed, type Started } from '@reticle/sdk'
import { follow } from '../follow.ts'
import type { Session } from '../session.ts'
import { reportLines } from '../terminal/report.ts'
import type { Journal } from './journal.ts'

export interface Work {
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
export async function finish(session: Session, work: Work): Promise<Request> {
  const { client, journal, title } = work
  const former = await formerRequest(session, work)
  if (former) session.output.note(`Going on with ${former.id}.`)
  const rq_id = former?.id ?? (await begin(session, work))
  try {
    return await follow(session, client, rq_id, title)
  } catch (thrown) {
    if (thrown instanceof RequestFailed)
      for (const line of reportLines(thrown.request.report, 'Report')) session.output.note(line)
    if (!session.signal.aborted) await journal.note(nothing)
    throw thrown
  }
}

/** State that makes the next run start a new request. */
const nothing = { rq_id: undefined, created_date: undefined, start_key: undefined }

/** Returns the request of a former run, unless it failed or its id was reused. */
async function formerRequest(
  session: Session,
  { client, journal }: Work,
): Promise<Request | undefined> {
  const noted = await journal.read()
  if (noted?.rq_id === undefined) return undefined
  const request = await findRequest(session, client, noted.rq_id)
  const isIt = request?.created_date === noted.created_date
  if (isIt && request?.status !== 'failed') return request
  await journal.note(nothing)
  return undefined
}

async function findRequest(
  { signal }: Session,
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

async function begin(session: Session, work: Work): Promise<string> {
  const { client, journal } = work
  const start_key = (await journal.read())?.start_key ?? randomUUID()
  await journal.note({ start_key })
  const rq_id = await started(work, start_key)
  const { created_date } = await client.getRequest({ rq_id }, { signal: session.signal })
  await journal.note({ rq_id, created_date })
  return rq_id
}

async function started({ journal, start, isSame }: Work, key: string): Promise<string> {
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
