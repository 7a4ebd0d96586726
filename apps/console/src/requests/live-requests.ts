import type { Page, Request } from '@reticle/sdk'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { keyOf, queries } from '../api/queries.ts'
import { isActive } from './request-text.ts'

const [listRequests] = keyOf(api.listRequests, {})
const lists = { queryKey: [listRequests] }

/** Pause in milliseconds before the event stream is opened again. */
const retryPauseMs = 3000
/** Polling interval in milliseconds, which finds requests that finished while the stream was interrupted. */
const pollMs = 15_000

/**
 * Updates the cached requests from the event stream while the page is visible. A broken stream is opened again.
 *
 * @returns the reason why the stream is interrupted
 */
export function useLiveRequests(): Error | undefined {
  const [error, setError] = useState<Error>()
  useEffect(() => whileVisible((signal) => void watchRequests(signal, setError)), [])
  useEffect(() => {
    const polling = setInterval(() => void (hasActiveRequests() && refetch()), pollMs)
    return () => clearInterval(polling)
  }, [])
  return error
}

async function watchRequests(signal: AbortSignal, onError: (error: Error | undefined) => void) {
  while (!signal.aborted) {
    try {
      for await (const request of api.watchRequests({ signal })) {
        onError(undefined)
        storeRequest(request)
      }
    } catch (thrown) {
      if (signal.aborted) return
      onError(thrown instanceof Error ? thrown : new Error(String(thrown)))
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs))
    }
  }
}

const refetch = () => queries.invalidateQueries(lists)

const knownRequests = () =>
  queries.getQueriesData<Page<Request>>(lists).flatMap(([, page]) => page?.results ?? [])

const hasActiveRequests = () => knownRequests().some(isActive)

/** Stores the progress of a request. A new request or status may change every list, so lists are then refreshed. */
function storeRequest(request: Request): void {
  queries.setQueryData(keyOf(api.getRequest, { rq_id: request.id }), request)
  const before = knownRequests().filter(({ id }) => id === request.id)
  const isOld = before.length > 0 && before.every(({ status }) => status === request.status)
  queries.setQueriesData<Page<Request>>(lists, (page) => page && withRequest(page, request))
  if (!isOld) void refetch()
}

function withRequest(page: Page<Request>, request: Request): Page<Request> {
  const results = page.results.map((one) => (one.id === request.id ? request : one))
  return { ...page, results }
}

/**
 * Runs `begin` while the page is visible, and again each time it becomes visible. A browser limits connections per
 * server, and hidden pages would use them up.
 *
 * @returns a function that stops it
 */
function whileVisible(begin: (signal: AbortSignal) => void): () => void {
  let current = new AbortController()
  const change = () => {
    current.abort()
    current = new AbortController()
    if (!document.hidden) begin(current.signal)
  }
  change()
  document.addEventListener('visibilitychange', change)
  return () => {
    document.removeEventListener('visibilitychange', change)
    current.abort()
  }
}
