import type { DialectName } from '@reticle/contracts/rest/dialects'
import { buildCvatPayload } from './cvat-payload.ts'
import { bodiesOf, type DialectPayload, type Fact } from './payload.ts'

/**
 * The address of the API that payloads of a dialect name: its mount.
 *
 * @param base `https://host/api`
 */
export function dialectBase(dialect: DialectName, base: string): string {
  return dialect === 'service' ? base : base.replace(/\/api$/, `/as/${dialect}/api`)
}

/** @param base of that dialect (`dialectBase`), as in the links of the record */
export function buildPayload(dialect: DialectName, fact: Fact, base: string): DialectPayload {
  if (dialect === 'cvat') return buildCvatPayload(fact, base)
  const changed_fields = Object.keys(fact.before_update ?? {}).join(',')
  return { changed_fields, bodyFor: bodiesOf(fact, base) }
}
