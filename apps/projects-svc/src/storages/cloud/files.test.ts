import { encodeFrame } from '@reticle/contracts/frame-lines'
import { frameOf } from '@reticle/contracts/testing/records'
import { unavailable } from '@reticle/kit'
import { bytesOf, readAllBytes } from '@reticle/kit/testing/bytes'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testCloudStorages } from '../../testing/cloud-storages.ts'

/** Buckets as the target of exports and the source of imports. */

const given = await testCloudStorages()
const { addUser, addOrganization, addMember, addBucket, as, bodyOf, over, store, db } = given

describe.each(transports)('over %s', (transport) => {
  const { storages, projects, tasks, jobs, media } = over(transport)

  async function connected(more = '', objects: Record<string, string> = {}) {
    const anna = await addUser()
    const bucket = addBucket(objects)
    const own = bodyOf(bucket.name)
    const body = { ...own, specific_attributes: `${own.specific_attributes}${more}` }
    const { id } = await storages.createCloudStorage({ body }, anna.call)
    const write = (key: string, chunks = bytesOf('the ', 'file'), call = anna.call) =>
      storages.writeStorageFile({ cloud_storage_id: id, key, body: chunks }, call)
    const read = async (key: string, call = anna.call) => {
      const { chunks } = await storages.readStorageFile({ cloud_storage_id: id, key }, call)
      return (await readAllBytes(chunks)).toString()
    }
    return { anna, bucket, id, write, read }
  }

  test('a written file can be read back', async () => {
    const { bucket, write, read } = await connected()
    await write('exports/a.zip')
    expect(bucket.objects.get('exports/a.zip')?.toString()).toBe('the file')
    expect(await read('exports/a.zip')).toBe('the file')
  })

  test('only users who may view the storage can use it', async () => {
    const { bucket, write, read } = await connected('', { 'a.zip': 'kept' })
    const stranger = await addUser()
    for (const attempt of [
      () => write('a.zip', bytesOf('x'), stranger.call),
      () => read('a.zip', stranger.call),
    ])
      await expect(attempt()).rejects.toMatchObject({ kind: 'forbidden' })
    const none = { cloud_storage_id: 999_999, key: 'a.zip' }
    for (const attempt of [
      () => storages.readStorageFile(none, stranger.call),
      () => storages.writeStorageFile({ ...none, body: bytesOf('x') }, stranger.call),
    ])
      await expect(attempt()).rejects.toMatchObject({ kind: 'not_found' })
    expect([...bucket.objects.values()].map(String)).toEqual(['kept'])
  })

  test('an interrupted write leaves no file and no parts', async () => {
    const { bucket, write } = await connected()
    async function* broken() {
      for (let count = 0; count < 20; count++) yield Buffer.alloc(1024 * 1024)
      throw unavailable('broken off')
    }
    await expect(write('a.zip', broken())).rejects.toThrow()
    await expect.poll(() => [...bucket.objects.keys(), ...store.unfinished()]).toEqual([])
  })

  test('an error names the file and the storage and suggests a remedy', async () => {
    const { bucket, write, read } = await connected()
    const place = `the cloud storage "Raw frames" (${bucket.name})`
    await expect(read('none.zip')).rejects.toMatchObject({
      kind: 'not_found',
      message: `"none.zip" could not be read from ${place}: there is no such file.`,
    })
    store.sealed.add(bucket.name)
    await expect(write('a.zip')).rejects.toMatchObject({
      kind: 'forbidden',
      message: `"a.zip" could not be written to ${place}: its credentials have no right to write there. Give them that right, or choose another storage.`,
    })
    await expect(write('a/../../b')).rejects.toMatchObject({ kind: 'invalid' })
    store.buckets.delete(bucket.name)
    await expect(write('a.zip')).rejects.toMatchObject({
      kind: 'not_found',
      message: `"a.zip" could not be written to ${place}: The bucket does not exist.`,
    })
  })

  test('a storage whose address is no longer allowed is not called', async () => {
    const { id, write, read } = await connected('', { 'a.zip': 'kept' })
    const specific_attributes = `endpoint_url=${encodeURIComponent('http://10.0.0.1:9000')}`
    await db
      .updateTable('cloud_storages')
      .set({ specific_attributes })
      .where('id', '=', id)
      .execute()
    for (const attempt of [() => write('a.zip'), () => read('a.zip')])
      await expect(attempt()).rejects.toMatchObject({
        kind: 'forbidden',
        message: expect.stringContaining('is not allowed by this installation'),
      })
  })

  test('keys outside the prefix of the storage are neither read nor written', async () => {
    const { bucket, write, read } = await connected('&prefix=in%2F', {
      'out/a': 'secret',
      'in/': '',
    })
    await expect(read('out/a')).rejects.toMatchObject({
      kind: 'not_found',
      message: 'The keys of the cloud storage "Raw frames" begin with "in/".',
    })
    await expect(write('out/b')).rejects.toMatchObject({ kind: 'invalid' })
    await write('in/b')
    expect([...bucket.objects.keys()]).toEqual(['out/a', 'in/', 'in/b'])
  })

  test('default storages are readable with the project, task or job; a job uses those of its task', async () => {
    const { anna, id: cloud_storage_id } = await connected()
    const there = { location: 'cloud_storage' as const, cloud_storage_id }
    const here = { location: 'local' as const }
    const body = { name: 'p', source_storage: here, target_storage: there }
    const project = await projects.createProject({ body }, anna.call)
    const labels = [{ name: 'car' }]
    const task = await tasks.createTask(
      { body: { name: 't', labels, source_storage: there } },
      anna.call,
    )
    const about = { call_id: `attach-${task.id}`, image_quality: 70, chunk_size: 36 }
    await media.attachMedia(
      { ...about, task_id: task.id, body: bytesOf(encodeFrame(frameOf())) },
      anna.call,
    )
    const { results } = await jobs.listJobs({ task_id: task.id }, anna.call)
    const find = (target: 'project' | 'task' | 'job', id = 0, call = anna.call) =>
      storages.findDefaultStorages({ target, id }, call)
    expect(await find('project', project.id)).toMatchObject({
      source_storage: here,
      target_storage: there,
    })
    const ofTask = { source_storage: there, target_storage: null }
    expect(await find('task', task.id)).toMatchObject(ofTask)
    expect(await find('job', results[0]?.id)).toMatchObject(ofTask)
    const stranger = await addUser()
    await expect(find('task', task.id, stranger.call)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(find('task', 999_999)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a supervisor uses the storages of the organization, a worker does not', async () => {
    const { id: organization, owner } = await addOrganization()
    const bucket = addBucket({ 'a.zip': 'kept' })
    const there = await as(owner, organization)
    const { id } = await storages.createCloudStorage({ body: bodyOf(bucket.name) }, there)
    const read = async (role: 'supervisor' | 'worker') => {
      const call = await as(await addMember(organization, role), organization)
      return storages.readStorageFile({ cloud_storage_id: id, key: 'a.zip' }, call)
    }
    expect((await readAllBytes((await read('supervisor')).chunks)).toString()).toBe('kept')
    await expect(read('worker')).rejects.toMatchObject({ kind: 'forbidden' })
  })
})
