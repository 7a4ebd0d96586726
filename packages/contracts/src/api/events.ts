import { bytes } from '../rest/common.ts'
import { acceptedEvents, clientEvents, eventFilter } from '../rest/events.ts'
import { internal, operations, post } from './operation.ts'

/** The log of events, its owner's side; requests and files of exports are `requests.ts`. */
export const events = operations('EventService', {
  recordEvents: post('/events', {
    by_token: 'never',
    body: clientEvents,
    answers: { 201: acceptedEvents },
    summary: 'Tell what was done in a client',
  }),
  /** May the caller read this part of the log? Answers the part narrowed to what the caller sees. */
  permitEventExport: internal({ query: eventFilter, answers: { 200: eventFilter } }),
  /** That part as CSV with a line of names, the oldest first. */
  readEvents: internal({ query: eventFilter, answers: { 200: bytes } }),
})
