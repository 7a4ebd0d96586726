import { ApiError, type Client, type Request, type Started } from '@reticle/sdk'
import { follow } from '../follow.ts'
import type { Session } from '../session.ts'
import type { Journal } from './journal.ts'

export interface Work {
  client: Client
  journal: Journal
  /** What is told while it is waited for. */
  title: string
  /** Is a request of the same kind that is under way already the one that is wanted? */
  isSame: boolean
  /** The id that the request will have, where that is known: a former run may have died before it heard of it. */
  knownId?: string
  start(): Promise<Started>
}

/**
 * Starts work in the background and waits for its end; what a former run of the command has started is waited for instead.
 *
 * @throws RequestFailed; then the command starts anew the next time
 */
export async function finish(session: Session, work: Work): Promise<Request> {
  const { client, journal, title } = work
  const former = await formerRequest(session, work)
  if (former) session.output.note(`Going on with ${former.id}.`)
  const rq_id = former?.id ?? (await begin(session, work).finally(session.progress.stop))
  try {
    return await follow(session, client, rq_id, title)
  } catch (thrown) {
    if (!session.signal.aborted) await journal.note(nothing)
    throw thrown
  }
}

/** What is begun anew the next time. */
const nothing = { rq_id: undefined, created_date: undefined, before: undefined }

/** The request of a former run, unless it failed or another has taken its id since. */
async function formerRequest(
  session: Session,
  { client, journal, knownId }: Work,
): Promise<Request | undefined> {
  const noted = await journal.read()
  const id = noted?.rq_id ?? (noted?.before === undefined ? undefined : knownId)
  const request = id === undefined ? undefined : await findRequest(session, client, id)
  const isIt = noted?.rq_id
    ? request?.created_date === noted.created_date
    : request?.created_date !== noted?.before
  return isIt && request?.status !== 'failed' ? request : undefined
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
  const { client, journal, knownId } = work
  if (knownId !== undefined) {
    const before = await findRequest(session, client, knownId)
    await journal.note({ before: before?.created_date ?? '' })
  }
  const rq_id = await started(work)
  const { created_date } = await client.getRequest({ rq_id }, { signal: session.signal })
  await journal.note({ rq_id, created_date })
  return rq_id
}

async function started({ start, isSame }: Work): Promise<string> {
  try {
    const answer = await start()
    return typeof answer === 'string' ? answer : answer.rq_id
  } catch (thrown) {
    const running = thrown instanceof ApiError && thrown.status === 409 ? thrown.rq_id : null
    if (running === null || !isSame) throw thrown
    return running
  }
}
