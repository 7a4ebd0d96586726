import { z } from 'zod'
import { request } from '../rest/requests.ts'
import { defineEvent } from './define.ts'

/** A doorbell for workers: the row in `requests` is the truth (`reliability.md` 6.3). */
export const requestQueued = defineEvent('request.queued', {
  topic: 'reticle.requests.v1',
  key: (data) => `request:${data.tenant}`,
  data: z.object({ tenant: z.string(), request_uuid: z.string() }),
})

export const requestFinished = defineEvent('request.finished', {
  key: (data) => `request:${data.tenant}`,
  data: z.object({ tenant: z.string(), request_uuid: z.string(), request }),
})
