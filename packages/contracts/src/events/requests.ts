import { z } from 'zod'
import { request } from '../rest/requests.ts'
import { defineEvent } from './define.ts'

/** Notifies workers of a new request; the row in `requests` is authoritative. */
export const requestQueued = defineEvent('request.queued', {
  topic: 'reticle.requests.v1',
  key: (data) => `request:${data.tenant}`,
  data: z.object({ tenant: z.string(), request_uuid: z.string() }),
})

export const requestFinished = defineEvent('request.finished', {
  key: (data) => `request:${data.tenant}`,
  project: (data) => data.request.operation.project_id,
  data: z.object({ tenant: z.string(), request_uuid: z.string(), request }),
})
