import type { Page, Request } from '@reticle/sdk'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { keyOf, queries } from '../api/queries.ts'
import { whileSeen } from './while-seen.ts'
import { isMoving } from './words.ts'

const [listRequests] = keyOf(api.listRequests, {})
const lists = { queryKey: [listRequests] }

/** Between two attempts to hear of requests at all. */
const restMs = 3000
/** What ended while nothing was heard is found at the latest after this. */
const lookMs = 15_000

/**
 * Keeps what is known of requests as the service tells it, for as long as somebody looks. A stream that breaks is opened anew.
 *
 * @returns why nothing is heard at the moment
 */
export function useLiveRequests(): Error | undefined {
  const [error, setError] = useState<Error>()
  useEffect(() => whileSeen((signal) => void watch(signal, setError)), [])
  useEffect(() => {
    const look = setInterval(() => void (knowsMoving() && refetch()), lookMs)
    return () => clearInterval(look)
  }, [])
  return error
}

async function watch(signal: AbortSignal, tell: (error: Error | undefined) => void) {
  while (!signal.aborted) {
    try {
      for await (const request of api.watchRequests({ signal })) {
        tell(undefined)
        take(request)
      }
    } catch (thrown) {
      if (signal.aborted) return
      tell(thrown instanceof Error ? thrown : new Error(String(thrown)))
      await new Promise((resolve) => setTimeout(resolve, restMs))
    }
  }
}

const refetch = () => queries.invalidateQueries(lists)

const known = () =>
  queries.getQueriesData<Page<Request>>(lists).flatMap(([, page]) => page?.results ?? [])

const knowsMoving = () => known().some(isMoving)

/** Progress is put where it belongs; what comes and goes may change every list, so that these are asked for anew. */
function take(request: Request): void {
  queries.setQueryData(keyOf(api.getRequest, { rq_id: request.id }), request)
  const before = known().filter(({ id }) => id === request.id)
  const isOld = before.length > 0 && before.every(({ status }) => status === request.status)
  queries.setQueriesData<Page<Request>>(lists, (page) => page && withRequest(page, request))
  if (!isOld) void refetch()
}

/** The page with what is known of a request now. */
function withRequest(page: Page<Request>, request: Request): Page<Request> {
  const results = page.results.map((one) => (one.id === request.id ? request : one))
  return { ...page, results }
}
