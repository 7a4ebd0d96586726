import { accessTokenList } from '@reticle/contracts/rest/auth'
import { recordTag } from '@reticle/kit/call/etag'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { anonymousCall, testIdentity } from '../testing.ts'

/** Calls on access tokens. */

const { db, clock, over, addUser, as, days } = await testIdentity()

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const create = (
    call: ReturnType<typeof as>,
    given: { name?: string; expiry_date?: string } = {},
  ) => identity.createAccessToken({ body: { name: 'a', read_only: true, ...given } }, call)
  const fields = (id: number) =>
    db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const notThere = { kind: 'not_found', message: 'Not found.' }

  describe('a new token', () => {
    test('shows its value once', async () => {
      const user = await addUser({ first_name: 'Anna' })
      const now = clock.now().toISOString()
      const { value, ...token } = await create(as(user), { expiry_date: '31/12/2099' })
      expect(value).toMatch(/^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/)
      expect(token).toEqual({
        id: token.id,
        name: 'a',
        created_date: now,
        updated_date: now,
        expiry_date: '31/12/2099',
        last_used_date: null,
        read_only: true,
        dialect: 'service',
        owner: {
          url: `/users/${user.id}`,
          id: user.id,
          username: user.username,
          first_name: 'Anna',
          last_name: '',
        },
      })
      expect(await identity.getAccessToken({ id: token.id }, as(user))).toEqual(token)
    })

    test('is stored as a hash and its first eight characters', async () => {
      const { id, value } = await create(as(await addUser()))
      const row = await fields(id)
      expect(row.prefix).toBe(value.slice(0, 8))
      expect(row.token_hash).toHaveLength(32)
      expect(JSON.stringify(row)).not.toContain(value.slice(9))
    })

    test('may have an expiry in the past', async () => {
      const call = as(await addUser())
      const { id, expiry_date } = await create(call, { expiry_date: '01/01/2000' })
      expect(expiry_date).toBe('01/01/2000')
      await expect(identity.getAccessToken({ id }, call)).rejects.toMatchObject(notThere)
    })

    test.each(['31/02/2099', '13/13/2027', 'soon', '', ' '])(
      'cannot expire on %j',
      async (expiry_date) => {
        const attempt = create(as(await addUser()), { expiry_date })
        await expect(attempt).rejects.toMatchObject({
          kind: 'invalid',
          body: { expiry_date: [expect.any(String)] },
        })
      },
    )

    test('is rejected for a deleted user', async () => {
      const attempt = create(as({ id: 999_999, role: 'user' }))
      await expect(attempt).rejects.toMatchObject({ kind: 'unauthenticated' })
    })
  })

  describe('the number of usable tokens', () => {
    const few = over(transport, { maxAccessTokens: 2 })
    const body = { name: 'a', read_only: true }
    const tooMany = {
      kind: 'invalid',
      body: ['You have reached the maximum allowed number of Personal Access Tokens for a user'],
    }

    test('is limited for concurrent calls', async () => {
      const call = as(await addUser())
      const made = await Promise.allSettled(
        Array.from({ length: 5 }, () => few.createAccessToken({ body }, call)),
      )
      expect(made.filter((one) => one.status === 'fulfilled')).toHaveLength(2)
      await expect(few.createAccessToken({ body }, call)).rejects.toMatchObject(tooMany)
    })

    test('does not count revoked and expired tokens', async () => {
      const call = as(await addUser())
      const { id } = await few.createAccessToken({ body }, call)
      await few.deleteAccessToken({ id }, call)
      await few.createAccessToken({ body: { ...body, expiry_date: '01/01/2000' } }, call)
      await few.createAccessToken({ body }, call)
      await few.createAccessToken({ body }, call)
      await expect(few.createAccessToken({ body }, call)).rejects.toMatchObject(tooMany)
    })

    test('is unlimited with -1', async () => {
      const many = over(transport, { maxAccessTokens: -1 })
      await many.createAccessToken({ body }, as(await addUser()))
    })
  })

  describe('the list of tokens', () => {
    const names = async (call: ReturnType<typeof as>, query = {}) => {
      const { results } = await identity.listAccessTokens(query, call)
      return results.map((token) => token.name)
    }

    test("contains only the caller's usable tokens, newest first, even for administrators", async () => {
      const call = as({ ...(await addUser()), role: 'admin' })
      await create(as(await addUser()), { name: 'of another' })
      await create(call, { name: 'expired', expiry_date: '01/01/2000' })
      const revoked = await create(call, { name: 'revoked' })
      await identity.deleteAccessToken({ id: revoked.id }, call)
      await create(call, { name: 'first' })
      await create(call, { name: 'second' })
      const { count, results } = await identity.listAccessTokens({}, call)
      expect(count).toBe(2)
      expect(results.map((token) => token.name)).toEqual(['second', 'first'])
      expect(results[0]).not.toHaveProperty('value')
    })

    test('is sorted and filtered', async () => {
      const call = as(await addUser())
      const b = await create(call, { name: 'b', expiry_date: '01/01/2090' })
      await create(call, { name: 'a' })
      const body = { name: 'c', read_only: false, expiry_date: '01/01/2089' }
      await identity.createAccessToken({ body }, call)
      expect(await names(call, { sort: 'name' })).toEqual(['a', 'b', 'c'])
      expect(await names(call, { sort: '-name' })).toEqual(['c', 'b', 'a'])
      expect(await names(call, { sort: 'expiry_date' })).toEqual(['c', 'b', 'a'])
      expect(await names(call, { sort: 'nonsense' })).toEqual(['c', 'a', 'b'])
      expect(await names(call, { name: 'b' })).toEqual(['b'])
      expect(await names(call, { read_only: false })).toEqual(['c'])
      expect(await names(call, { id: b.id })).toEqual(['b'])
    })

    test('is searched, and filtered by expressions', async () => {
      const call = as(await addUser())
      const b = await create(call, { name: 'Nightly b', expiry_date: '01/01/2090' })
      await create(call, { name: 'a nightly' })
      const body = { name: 'c', read_only: false }
      await identity.createAccessToken({ body }, call)
      const found = (given: object) =>
        names(call, accessTokenList.parse({ filter: JSON.stringify(given) }))
      expect(await names(call, { search: 'nightly' })).toEqual(['a nightly', 'Nightly b'])
      expect(await names(call, { search: 'night,b' })).toEqual(['Nightly b'])
      expect(await found({ '==': [{ var: 'id' }, b.id] })).toEqual(['Nightly b'])
      expect(await found({ in: ['C', { var: 'name' }] })).toEqual(['c'])
      expect(await found({ '==': [{ var: 'read_only' }, false] })).toEqual(['c'])
      expect(await found({ '<': [{ var: 'expiry_date' }, '2090-01-02'] })).toEqual(['Nightly b'])
      expect(await found({ '==': [{ var: 'expiry_date' }, null] })).toEqual(['c', 'a nightly'])
      expect(await found({ var: 'last_used_date' })).toEqual([])
      const now = clock.now().toISOString()
      for (const name of ['created_date', 'updated_date'])
        expect(await found({ '<=': [now, { var: name }, now] })).toHaveLength(3)
      expect(await names(call, { sort: 'created_date,-name' })).toHaveLength(3)
      expect(await names(call, { sort: 'read_only' })).toEqual(['c', 'Nightly b', 'a nightly'])
    })

    test('is paged', async () => {
      const call = as(await addUser())
      for (const name of ['1', '2', '3']) await create(call, { name })
      expect(await names(call, { page_size: '2' })).toEqual(['3', '2'])
      expect(await names(call, { page_size: '2', page: 'last' })).toEqual(['1'])
      await expect(names(call, { page_size: '2', page: '3' })).rejects.toMatchObject({
        kind: 'not_found',
        message: 'Invalid page.',
      })
    })
  })

  describe('one token', () => {
    test.each(['view', 'update', 'delete'] as const)(
      'is available only to its owner and to administrators: %s',
      async (action) => {
        const { id } = await create(as(await addUser()))
        const attempt = (call: ReturnType<typeof as>) => {
          if (action === 'view') return identity.getAccessToken({ id }, call)
          if (action === 'delete') return identity.deleteAccessToken({ id }, call)
          return identity.updateAccessToken({ id, body: { name: 'b' } }, call)
        }
        await expect(attempt(as(await addUser()))).rejects.toMatchObject({ kind: 'forbidden' })
        await attempt(as({ ...(await addUser()), role: 'admin' }))
      },
    )

    test('is not found by any caller once expired, revoked or stale', async () => {
      const call = as(await addUser())
      const revoked = await create(call)
      await identity.deleteAccessToken({ id: revoked.id }, call)
      const expiring = await create(call, { expiry_date: '01/01/2000' })
      const stale = await create(call)
      await days(180)
      for (const { id } of [revoked, expiring, stale]) {
        await expect(identity.getAccessToken({ id }, call)).rejects.toMatchObject(notThere)
        const change = identity.updateAccessToken({ id, body: { expiry_date: null } }, call)
        await expect(change).rejects.toMatchObject(notThere)
        await expect(identity.deleteAccessToken({ id }, call)).rejects.toMatchObject(notThere)
      }
    })

    test('shows the time of its expiry on request', async () => {
      const call = as(await addUser())
      const moment = '2099-12-31T10:20:30.000Z'
      const body = { name: 'a', read_only: true, expiry_date: moment }
      const with_time = true
      const { id, expiry_date } = await identity.createAccessToken({ body, with_time }, call)
      const { results } = await identity.listAccessTokens({ with_time }, call)
      const seen = [
        await identity.getAccessToken({ id, with_time }, call),
        await identity.updateAccessToken({ id, body: { name: 'b' }, with_time }, call),
        ...results,
      ]
      expect([expiry_date, ...seen.map((one) => one.expiry_date)]).toEqual(Array(4).fill(moment))
      expect((await identity.getAccessToken({ id }, call)).expiry_date).toBe('31/12/2099')
    })

    test('stores its dialect', async () => {
      const call = as(await addUser())
      const body = { name: 'a', read_only: true, dialect: 'cvat' } as const
      const { id, dialect, value } = await identity.createAccessToken({ body }, call)
      expect(dialect).toBe('cvat')
      const asked = { authorization: `Token ${value}`, address: '127.0.0.1' }
      expect(await identity.authenticate(asked, anonymousCall())).toMatchObject({ dialect: 'cvat' })
      await identity.updateAccessToken({ id, body: { dialect: 'service' } }, call)
      expect(await identity.authenticate(asked, anonymousCall())).toMatchObject({
        dialect: 'service',
      })
    })

    test('that is unknown is not found', async () => {
      const attempt = identity.getAccessToken({ id: 999_999 }, as(await addUser()))
      await expect(attempt).rejects.toMatchObject(notThere)
    })
  })

  describe('a change of a token', () => {
    test('keeps other fields and moves updated_date', async () => {
      const call = as(await addUser())
      const { value: _, ...before } = await create(call, { expiry_date: '31/12/2099' })
      await clock.advance(1000)
      const after = await identity.updateAccessToken({ id: before.id, body: { name: 'b' } }, call)
      expect(after).toEqual({ ...before, name: 'b', updated_date: clock.now().toISOString() })
    })

    test('to an empty expiry is rejected, and the token still expires', async () => {
      const call = as(await addUser())
      const { id } = await create(call, { expiry_date: '31/12/2099' })
      const change = identity.updateAccessToken({ id, body: { expiry_date: '' } }, call)
      await expect(change).rejects.toMatchObject({
        kind: 'invalid',
        body: { expiry_date: [expect.any(String)] },
      })
      expect((await identity.getAccessToken({ id }, call)).expiry_date).toBe('31/12/2099')
    })

    test('may remove the expiry or allow writes', async () => {
      const call = as(await addUser())
      const { id } = await create(call, { expiry_date: '31/12/2099' })
      const body = { expiry_date: null, read_only: false }
      const after = await identity.updateAccessToken({ id, body }, call)
      expect(after).toMatchObject({ expiry_date: null, read_only: false })
    })

    test.each([
      [{}],
      [{ name: 'a', read_only: true }],
      [{ expiry_date: '31/12/2099' }],
      [{ expiry_date: '2099-12-31' }],
    ])('to the current values changes nothing: %j', async (body) => {
      const call = as(await addUser())
      const { id, updated_date } = await create(call, { expiry_date: '31/12/2099' })
      await clock.advance(1000)
      const after = await identity.updateAccessToken({ id, body }, call)
      expect(after.updated_date).toBe(updated_date)
    })

    test('in the same millisecond has a later date', async () => {
      const call = as(await addUser())
      const { id, updated_date } = await create(call)
      const after = await identity.updateAccessToken({ id, body: { name: 'b' } }, call)
      expect(Date.parse(after.updated_date)).toBe(Date.parse(updated_date) + 1)
    })

    test('with a stale If-Match is rejected, and so is a revocation', async () => {
      const call = as(await addUser())
      const { id, updated_date } = await create(call)
      const if_match = recordTag({ id, updated_date })
      await identity.updateAccessToken({ id, body: { name: 'b' }, if_match }, call)
      const late = { kind: 'precondition' }
      const again = identity.updateAccessToken({ id, body: { name: 'c' }, if_match }, call)
      await expect(again).rejects.toMatchObject(late)
      const end = identity.deleteAccessToken({ id, if_match }, call)
      await expect(end).rejects.toMatchObject(late)
      expect((await fields(id)).name).toBe('b')
    })

    test('to a day that does not exist is rejected, and nothing changes', async () => {
      const call = as(await addUser())
      const { id } = await create(call)
      const body = { name: 'b', expiry_date: '31/02/2099' }
      await expect(identity.updateAccessToken({ id, body }, call)).rejects.toMatchObject({
        kind: 'invalid',
        body: { expiry_date: ['There is no such day.'] },
      })
      expect((await fields(id)).name).toBe('a')
    })
  })

  describe('the token of the current request', () => {
    test('is returned', async () => {
      const user = await addUser()
      const { value, ...token } = await create(as(user))
      const authorization = `Token ${value}`
      const { principal } = await identity.authenticate(
        { authorization, address: '' },
        anonymousCall(),
      )
      const last_used_date = clock.now().toISOString()
      const call = { ...as(user), principal }
      expect(await identity.getCurrentAccessToken({}, call)).toEqual({ ...token, last_used_date })
    })

    test('is a 401 for other ways of signing in', async () => {
      const attempt = identity.getCurrentAccessToken({}, as(await addUser()))
      await expect(attempt).rejects.toMatchObject({ kind: 'unauthenticated' })
    })
  })
})
