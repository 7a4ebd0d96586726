import { expect, test } from 'vitest'
import { runCommands, runMarkedCommands } from '../support/document.ts'

test('the curl commands of the README work as they are written', async () => {
  const stdout = await runMarkedCommands('README.md')
  expect(stdout).toMatch(/^12 pictures in pictures, (\d+) annotations/)
  const [, annotations] = /, (\d+) annotations/.exec(stdout) ?? []
  expect(stdout.split('\n').slice(1, 3)).toEqual(['finished', annotations])
  expect(stdout).toMatch(/dataset\.zip/)
  expect(stdout).toMatch(/\nmine\n[^\n]*changed_by_someone_else[^\n]*changed by someone else\n/)
  expect(stdout).toMatch(/\nSigned in at [^\n]+ as admin\.\nBatch 1\nyolo\.zip\n$/)
})

test('the commands of docs/media.md attach media in each way and read it', async () => {
  const stdout = await runMarkedCommands('docs/media.md')
  const ways = ['finished', 'finished', '1000', 'finished']
  expect(stdout.split('\n').slice(1)).toEqual([...ways, '12', '[ 0 ]', ''])
})

test('the commands of docs/annotations.md write, read, compare, restore and count annotations', async () => {
  const [, ...lines] = (await runMarkedCommands('docs/annotations.md')).trimEnd().split('\n')
  const refusals = lines.filter((line) => line.startsWith('{'))
  expect(refusals[0]).toBe('{"shapes":[{"frame":["frame 99 is outside of 0 to 11"]}]} refused')
  expect(refusals[1]).toMatch(/annotations_changed.* not overwritten$/)
  expect(lines.filter((line) => !line.startsWith('{'))).toEqual([
    ...['finished', 'true', '1', '1', '2', '1', '1', '2,0,6,4'],
    ...['delete,create,create,update,create', '2', '2', 'true', '3', 'admin'],
  ])
})

test('the commands of docs/webhooks.md receive, verify and redeliver messages', async () => {
  const lines = (await runMarkedCommands('docs/webhooks.md')).trimEnd().split('\n')
  const receivedLine = (number: number, event: string) =>
    `#${number} ${event}: signed as it should be`
  const messages = '1 ping delivered, 2 create:task delivered'
  expect(lines).toEqual([
    ...['204', 'first', messages, '1', 'at http://127.0.0.1:9417/'],
    ...[
      receivedLine(1, 'ping'),
      receivedLine(2, 'create:task'),
      receivedLine(2, 'create:task'),
      'true',
    ],
  ])
})

test('the commands of docs/cvat.md read one project on both mounts', async () => {
  const lines = (await runMarkedCommands('docs/cvat.md')).trimEnd().split('\n')
  const labels = '/labels?project_id=ID'
  expect(lines).toEqual(['car', `/as/cvat/api${labels}`, labels, labels])
})

test('the commands of docs/console.md show the content policy and the caching of its files', async () => {
  const lines = (await runMarkedCommands('docs/console.md')).trimEnd().split('\n')
  expect(lines.sort()).toEqual([
    'cache-control: public, max-age=31536000, immutable',
    'content-encoding: br',
    "script-src 'self'",
  ])
})

test('the commands of docs/requests.md follow, try, merge, filter and download', async () => {
  const [, ...lines] = (await runMarkedCommands('docs/requests.md')).trimEnd().split('\n')
  expect(lines.slice(0, -1)).toEqual([
    ...['finished', '1', 'true', '0', 'finished', 'duplicate', '4', 'finished'],
  ])
  expect(lines.at(-1)).toMatch(/this one is finished.* too late$/)
})

test('the commands of docs/backups.md create, download and restore a backup', async () => {
  const [, ...lines] = (await runMarkedCommands('docs/backups.md')).trimEnd().split('\n')
  expect(lines).toEqual(['finished', 'kept'])
})

test('the commands of docs/operations.md manage accounts and read the event log', async () => {
  const stdout = await runMarkedCommands('docs/operations.md')
  expect(stdout).toMatch(/^username +annika$/m)
  expect(stdout).toMatch(/^create:user,.*annika/m)
})

test('the commands of docs/coming-from.md try, import and export data of other tools', async () => {
  const [, ...lines] = (await runMarkedCommands('docs/coming-from.md')).trimEnd().split('\n')
  expect(lines).toEqual(['finished', 'true', 'finished', 'finished'])
})

test('the first calls of the page that the server shows work', async () => {
  const stdout = await runCommands(async (api) => {
    const page = await (await fetch(`${api}/docs`)).text()
    const [, lines = ''] = /<pre id="first-calls">([\s\S]*?)<\/pre>/.exec(page) ?? []
    const marks: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
    return lines.replace(/&(\w+);/g, (_, name) => marks[name] ?? '')
  })
  const [made = '', found = ''] = stdout.split(/(?<=\})(?=\{"count")/)
  expect(JSON.parse(made)).toMatchObject({ name: 'streets', labels: [{ name: 'car' }] })
  expect(JSON.parse(found).results[0]).toMatchObject({ name: 'streets' }) // the project changed last
})
