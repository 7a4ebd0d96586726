import { type Request, RequestFailed } from '@reticle/sdk'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'

interface FollowedState {
  /** Bytes of the file that were sent, and its size. */
  sent?: { done: number; total: number }
  request?: Request
  error?: Error
  isBusy?: boolean
}

/** Starts a request; an interrupted upload resumes and reports its progress. */
export type StartRequest = (options: {
  signal: AbortSignal
  on_progress: (done: number, total: number) => void
}) => Promise<{ rq_id: string }>

export interface FollowedRequest extends FollowedState {
  begin: (start: StartRequest) => void
  /** Cancels the upload of a file, before the request starts. */
  stop: () => void
}

/** Starts and follows a request in a dialog. Closing the dialog cancels an upload but not the request. */
export function useFollowedRequest(): FollowedRequest {
  const [state, setState] = useState<FollowedState>({})
  const current = useRef<AbortController>(undefined)
  useEffect(() => () => current.current?.abort(), [])
  return {
    ...state,
    begin(start) {
      current.current?.abort()
      const running = new AbortController()
      current.current = running
      setState({ isBusy: true })
      void followRequest(start, running.signal, (change) => {
        if (!running.signal.aborted) setState((before) => ({ ...before, ...change }))
      })
    },
    stop() {
      current.current?.abort()
      setState({})
    },
  }
}

async function followRequest(
  start: StartRequest,
  signal: AbortSignal,
  update: (change: FollowedState) => void,
) {
  try {
    const on_progress = (done: number, total: number) => update({ sent: { done, total } })
    const { rq_id } = await start({ signal, on_progress })
    const onProgress = (request: Request) => update({ request })
    update({ request: await api.follow(rq_id, { signal, on_progress: onProgress }), isBusy: false })
  } catch (thrown) {
    update({ ...failureOf(thrown), isBusy: false })
  }
  await queries.invalidateQueries()
}

const failureOf = (thrown: unknown): FollowedState => {
  if (thrown instanceof RequestFailed) return { request: thrown.request }
  return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
}
