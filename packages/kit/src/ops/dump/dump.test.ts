import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Migrations } from '../../db/migrate.ts'
import { testDatabase } from '../../testing/db.ts'
import { createArchive, readArchive } from './archive.ts'
import { openSnapshot } from './dump.ts'
import { openLoad } from './load.ts'
import { type Checksums, type DumpManifest, layout } from './manifest.ts'
import { tarHeader } from './tar.ts'

const migrations: Migrations = {
  '0001-shop': {
    up: async (db: Kysely<unknown>) => {
      const statements = [
        // `goods` precedes `shelves`, which it references, in the order of names: rows must load in any order.
        'create table shop.shelves (id integer generated always as identity primary key, name text)',
        `create table shop.goods (
          id integer generated always as identity primary key,
          shelf_id integer references shop.shelves on delete cascade,
          note text, picture bytea, extra jsonb, price double precision,
          sold_date timestamptz(3), tags text[],
          twice integer generated always as (id * 2) stored
        )`,
        'create table shop.sales (day date, count integer) partition by range (day)',
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  },
}
const schemas = [{ schema: 'shop', migrations }]
const folder = mkdtempSync(join(tmpdir(), 'reticle-dump-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const from = await testDatabase<unknown>(schemas)
const to = await testDatabase<unknown>(schemas)
const order = Object.values(layout)
const options = { schemas: ['shop', 'missing'], version: '1.0.0', objects: 'included' } as const

await sql
  .raw(`
  insert into shop.shelves (name) select 'shelf ' || n from generate_series(1, 10) n;
  insert into shop.goods (shelf_id, note, picture, extra, price, sold_date, tags) values
    (1, E'tab\\t, line\\n, back\\\\slash, \\\\N, ключ', '\\x00ff0a', '{"a": [1, null]}', 0.1, '2026-01-02T03:04:05.678Z', array['a', null]),
    (null, '', null, null, 'NaN', null, '{}'),
    (10, null, '', '"text"', 1e300, 'infinity', null);
  delete from shop.shelves where id = 9;
  create table shop.sales_january partition of shop.sales for values from ('2026-01-01') to ('2026-02-01');
  insert into shop.sales values ('2026-01-05', 3)`)
  .execute(from.db)

/** Writes a backup of the rows, and runs `between` after its snapshot was taken. */
async function backup(name: string, between: () => Promise<unknown> = async () => undefined) {
  const snapshot = await openSnapshot({ url: from.url, ...options })
  await between()
  const path = join(folder, name)
  const archive = await createArchive(path)
  const sums = await snapshot.writeTo(archive)
  await archive.close()
  await snapshot.close()
  return { path, sums, manifest: snapshot.manifest }
}

async function restore(given: { path: string; manifest: DumpManifest; sums: Checksums['tables'] }) {
  const load = await openLoad(to.url, given.manifest)
  try {
    for await (const { name, chunks } of readArchive(given.path, order)) {
      const [top, schema = '', table = ''] = name.split('/')
      if (top === layout.tables) await load.addPart(schema, table, chunks)
      if (top === layout.sequences) {
        let text = ''
        for await (const piece of chunks) text += Buffer.from(piece)
        await load.setSequences(JSON.parse(text))
      }
    }
    await load.commit(given.sums)
  } finally {
    await load.close()
  }
}

const rowsOf = async ({ db }: typeof from) => ({
  shelves: (await sql`select * from shop.shelves order by id`.execute(db)).rows,
  goods: (await sql`select * from shop.goods order by id`.execute(db)).rows,
  sales: (await sql`select * from shop.sales`.execute(db)).rows,
})

test.each(['folder', 'file.tar'])(
  'a restore from a %s returns every row unchanged',
  async (name) => {
    const given = await backup(name)
    expect(given.manifest.schemas.map(({ schema, steps }) => [schema, steps])).toEqual([
      ['shop', ['0001-shop']],
    ])
    await restore(given)
    expect(await rowsOf(to)).toEqual(await rowsOf(from))
  },
)

test('after a restore, sequences continue and foreign keys are enforced', async () => {
  await restore(await backup('counters'))
  const added = await sql<{ id: number }>`
    insert into shop.shelves (name) values ('new') returning id`.execute(to.db)
  expect(added.rows).toEqual([{ id: 11 }])
  await expect(sql`insert into shop.goods (shelf_id) values (99)`.execute(to.db)).rejects.toThrow(
    'goods_shelf_id_fkey',
  )
  await sql`delete from shop.shelves where id = 1`.execute(to.db)
  const left = await sql`select id from shop.goods where shelf_id = 1`.execute(to.db)
  expect(left.rows).toEqual([])
})

test('a backup shows one moment, even if writing it takes long', async () => {
  const before = await rowsOf(from)
  const given = await backup('moment', () =>
    sql`insert into shop.shelves (name) values ('late')`.execute(from.db),
  )
  await restore(given)
  expect((await rowsOf(to)).shelves).toEqual(before.shelves)
  await sql`delete from shop.shelves where name = 'late'`.execute(from.db)
})

test('many rows are split into several parts, each readable alone', async () => {
  await sql`create table if not exists shop.big (id integer, text text)`.execute(from.db)
  await sql`create table if not exists shop.big (id integer, text text)`.execute(to.db)
  await sql`insert into shop.big select n, repeat(md5(n::text), 40) from generate_series(1, 9000) n`.execute(
    from.db,
  )
  const given = await backup('big')
  const parts = readdirSync(join(given.path, 'tables/shop/big'))
  expect(parts).toEqual(['000001.gz', '000002.gz', '000003.gz'])
  expect(given.sums['shop.big']?.rows).toBe(9000)
  await restore(given)
  const { rows } = await sql<{ rows: string; sum: string }>`
    select count(*)::text as rows, md5(string_agg(text, '' order by id)) as sum from shop.big`.execute(
    to.db,
  )
  const same = await sql`
    select count(*)::text as rows, md5(string_agg(text, '' order by id)) as sum from shop.big`.execute(
    from.db,
  )
  expect(rows).toEqual(same.rows)
  await sql`drop table shop.big`.execute(from.db)
  await sql`drop table shop.big`.execute(to.db)
})

test('a restore with missing or changed rows names the table and keeps nothing', async () => {
  const given = await backup('damaged')
  const before = await rowsOf(to)
  const sums = { ...given.sums, 'shop.shelves': { rows: 10, sha256: 'x' } }
  await expect(restore({ ...given, sums })).rejects.toThrow(
    'the backup is damaged: shop.shelves has 9 rows, 10 were written',
  )
  const changed = { ...given.sums, 'shop.shelves': { rows: 9, sha256: 'x' } }
  await expect(restore({ ...given, sums: changed })).rejects.toThrow(
    'rows of shop.shelves were changed',
  )
  expect(await rowsOf(to)).toEqual(before)
})

test('an archive never replaces a file, and only its owner can read it', async () => {
  const path = join(folder, 'there.tar')
  writeFileSync(path, '')
  await expect(createArchive(path)).rejects.toThrow('is there already')
  const { path: made } = await backup('mode.tar')
  expect(statSync(made).mode & 0o777).toBe(0o600)
  expect(statSync((await backup('mode')).path).mode & 0o777).toBe(0o700)
})

test('a tar archive supports long names and can be read by tar', async () => {
  const long = `objects/${'n'.repeat(200)}/${'m'.repeat(150)}`
  const path = join(folder, 'names.tar')
  const archive = await createArchive(path)
  await archive.add(long, 3, [Buffer.from('abc')])
  await archive.add('short', 512, [Buffer.alloc(512, 1)])
  await archive.close()
  const listed = execFileSync('tar', ['-tf', path], { encoding: 'utf8' })
  expect(listed.trim().split('\n')).toEqual([long, 'short'])
  const read: string[] = []
  for await (const { name, size, chunks } of readArchive(path, [])) {
    const hash = createHash('sha256')
    for await (const chunk of chunks) hash.update(chunk)
    read.push(`${name} ${size} ${hash.digest('hex').slice(0, 8)}`)
  }
  expect(read).toEqual([`${long} 3 ba7816bf`, expect.stringMatching(/^short 512 /)])
})

test('a size beyond the old header is written into a pax record', () => {
  const head = tarHeader('huge', 8 ** 11)
  expect(head.subarray(512, 530).toString()).toBe('19 size=8589934592')
})

test('a truncated or changed tar archive is detected', async () => {
  const { path } = await backup('cut.tar')
  const bytes = readFileSync(path)
  const read = async () => {
    for await (const { chunks } of readArchive(path, [])) for await (const _ of chunks);
  }
  writeFileSync(path, bytes.subarray(0, bytes.length - 2000))
  await expect(read()).rejects.toThrow('it was cut off')
  writeFileSync(path, Buffer.concat([Buffer.from('x'), bytes]))
  await expect(read()).rejects.toThrow('no tar file, or it is damaged')
})
