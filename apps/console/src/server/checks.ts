/** Health check of a part of the server. */
export interface PartHealth {
  name: string
  isWell: boolean
  /** Reason of a failure; for administrators only. */
  reason?: string
  took_ms?: number
}

const works = 'working'
const errorsOwn = ['detail', 'code', 'request_id']

/** Parses the health response: status words, or records with reason and time. */
export function checksOf(body: unknown): PartHealth[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, given]) => {
    const check = errorsOwn.includes(name) ? undefined : checkOf(name, given)
    return check ? [check] : []
  })
}

function checkOf(name: string, given: unknown): PartHealth | undefined {
  if (typeof given === 'string') return { name, isWell: given === works, reason: given }
  if (typeof given !== 'object' || given === null) return undefined
  const { status, reason, took_ms } = { status: '', reason: null, took_ms: 0, ...given }
  return {
    name,
    isWell: status === works,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof took_ms === 'number' && { took_ms }),
  }
}
