import { bytes } from '../rest/common.ts'
import { acceptedEvents, clientEvents, eventFilter } from '../rest/events.ts'
import { defineOperations, internal, post } from './operation.ts'

/** The event log. Requests and result files of its exports are in `requests.ts`. */
export const events = defineOperations('EventService', {
  recordEvents: post('/events', {
    by_token: 'never',
    body: clientEvents,
    answers: { 201: acceptedEvents },
    summary: 'Record events of a client',
  }),
  /**
   * Checks that the caller may read this part of the log, and returns the part restricted to what the caller may see.
   */
  permitEventExport: internal({ query: eventFilter, answers: { 200: eventFilter } }),
  /** Returns that part as CSV with a header, oldest first. */
  readEvents: internal({ query: eventFilter, answers: { 200: bytes } }),
})
