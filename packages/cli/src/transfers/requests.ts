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
  const rq_id = former?.id ?? (await begin(work).finally(session.progress.stop))
  if (former) session.output.note(`Going on with ${former.id}.`)
  else {
    const { created_date } = await client.getRequest({ rq_id }, { signal: session.signal })
    await journal.note({ rq_id, created_date })
  }
  try {
    return await follow(session, client, rq_id, title)
  } catch (thrown) {
    if (!session.signal.aborted) await journal.note({ rq_id: undefined, created_date: undefined })
    throw thrown
  }
}

/** The request of a former run, unless it failed or another has taken its id since. */
async function formerRequest(
  { signal }: Session,
  { client, journal }: Work,
): Promise<Request | undefined> {
  const noted = await journal.read()
  if (noted?.rq_id === undefined) return undefined
  try {
    const request = await client.getRequest({ rq_id: noted.rq_id }, { signal })
    const isIt = request.created_date === noted.created_date
    return isIt && request.status !== 'failed' ? request : undefined
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return undefined
    throw thrown
  }
}

async function begin({ start, isSame }: Work): Promise<string> {
  try {
    const started = await start()
    return typeof started === 'string' ? started : started.rq_id
  } catch (thrown) {
    const running = thrown instanceof ApiError && thrown.status === 409 ? thrown.rq_id : null
    if (running === null || !isSame) throw thrown
    return running
  }
}
