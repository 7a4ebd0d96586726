import { rightsOf, withoutRule } from '@reticle/codegen/operation-rights'
import { restOperations } from '@reticle/contracts/api/index'
import { rules } from '@reticle/standalone/rules'
import { describe, expect, test } from 'vitest'

/** Every operation has a permission rule, or is listed among those that need none. */

const isGone = 410
const alive = restOperations.filter(({ success }) => success !== isGone)
const unruled: readonly string[] = Object.values(withoutRule).flat()
const known = new Set(
  Object.entries(rules).flatMap(([resource, rows]) =>
    rows.map(({ action }) => `${resource} ${action}`),
  ),
)

test.each(alive.map(({ name }) => [name]))(
  '%s has a rule, or is listed as needing none',
  (name) => {
    const ways = [name in rightsOf, unruled.includes(name)]
    expect(ways.filter(Boolean), 'add it to tools/codegen/src/operation-rights.ts').toHaveLength(1)
  },
)

describe('the list of rights', () => {
  test('it names only existing operations', () => {
    const names = new Set(alive.map(({ name }) => name))
    expect([...Object.keys(rightsOf), ...unruled].filter((name) => !names.has(name))).toEqual([])
  })

  test('it names only existing rows of the rules', () => {
    const named = Object.values(rightsOf).flat()
    expect(named.filter((right) => !known.has(right))).toEqual([])
  })

  test('it lists exactly the operations that require no credential in the operation table', () => {
    const open = alive.filter(({ access }) => access === 'anyone').map(({ name }) => name)
    expect(open.sort()).toEqual([...withoutRule['without a credential']].sort())
  })
})
