import type { Request } from '@reticle/sdk'
import { bytesText } from '../ui/bytes.ts'

/** Returns the name of a request type: `export:annotations` becomes `Export of annotations`. */
export function requestTypeText({ operation: { type } }: Request): string {
  const [action = type, what = ''] = type.split(':')
  const begin = names.get(action)
  if (begin === undefined || what === '') return type
  return `${begin} of ${action === 'create' ? `a ${what}` : what}`
}

const names = new Map([
  ['export', 'Export'],
  ['import', 'Import'],
  ['create', 'Creation'],
])

export const isActive = ({ status }: Request): boolean =>
  status === 'queued' || status === 'started'

/** Returns the status text with everything that is known: `42 %, 5 of 12 items, about 10 seconds left`. */
export function progressText(request: Request): string {
  const { status, progress, queue_position, eta_seconds, items_done, items_total } = request
  if (status === 'queued') return queueText(queue_position)
  if (status !== 'started') return ''
  const items =
    items_done !== null && items_total !== null && `${items_done} of ${items_total} items`
  const left = eta_seconds !== null && `about ${durationText(eta_seconds)} left`
  return [percentText(progress), bytesProgressText(request), items, left].filter(Boolean).join(', ')
}

function queueText(position: number | null): string {
  if (position === null) return ''
  return position === 0 ? 'next in the queue' : `${position} ahead in the queue`
}

const bytesProgressText = ({ bytes_done, bytes_total }: Request) =>
  bytes_done !== null &&
  bytes_total !== null &&
  `${bytesText(bytes_done)} of ${bytesText(bytes_total)}`

const percentText = (part: number): string => `${Math.floor(part * 100)} %`

/** Returns a rounded duration. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 360) / 10} h`
}

/** Returns the path of the page of a request; ids contain `=` and `&`. */
export const requestPath = (id: string): string => `/requests/${encodeURIComponent(id)}`

/** Converts a link of the service to a path of this site, for any host. */
export function localLink(link: string): string {
  const { pathname, search } = new URL(link)
  return pathname + search
}
