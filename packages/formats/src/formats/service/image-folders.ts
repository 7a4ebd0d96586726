/** Groups documents that have their images in the same folder. */
import type { XmlAttributes } from '../../xml/scan.ts'
import type { DescribedTask } from './read-meta.ts'
import { type Survey, type SurveyedImage, type SurveyedTask, taskKey } from './survey.ts'

/** A task that documents belong to, as far as its elements can be distinguished from those of other tasks. */
export interface DocumentTask {
  /** Empty when no document states it. */
  id: string
  subset: string
  /** Undefined when no document describes the task. */
  about: DescribedTask | undefined
  images: SurveyedImage[]
  /** Frames that tracks list. */
  listed: Set<number>
  /** Documents with elements of the task. */
  files: Set<string>
}

export interface ImageFolder {
  /** Folder of the images, with its trailing `/`, or empty. */
  folder: string
  /** True when each subset has a folder inside. */
  isSplit: boolean
  /** Documents that have their images in the folder. */
  files: ReadonlySet<string>
  /** Ascending by id. */
  tasks: DocumentTask[]
  /** Returns the task of an image or track. */
  taskOf(file: string, element: XmlAttributes): DocumentTask | undefined
}

/**
 * Groups documents by the folder of their images.
 * @param surveys Surveys by document name.
 * @param names All members of the archive.
 */
export function groupByImageFolder(
  surveys: ReadonlyMap<string, Survey>,
  names: Iterable<string>,
): ImageFolder[] {
  const folders = imageFolders(names)
  const byFolder = new Map<string, Map<string, Survey>>()
  for (const [file, survey] of surveys) {
    const folder = folderOf(file, folders)
    const own = byFolder.get(folder) ?? new Map<string, Survey>()
    byFolder.set(folder, own.set(file, survey))
  }
  return [...byFolder].map(([folder, own]) => createImageFolder(folder, own))
}

function createImageFolder(folder: string, surveys: ReadonlyMap<string, Survey>): ImageFolder {
  const tasks: Tasks = new Map()
  const keyIn = keysOf([...surveys.values()])
  for (const [file, survey] of surveys) addElements(tasks, survey, { file, keyIn })
  for (const survey of surveys.values()) addDescribed(tasks, survey)
  const namesSubsets = ({ isProject, elements }: Survey): boolean =>
    isProject || [...elements.values()].some(({ subset }) => subset !== undefined)
  const subsets = new Set([...tasks.values()].map(({ subset }) => subset))
  return {
    folder,
    files: new Set(surveys.keys()),
    isSplit: subsets.size > 1 || [...surveys.values()].some(namesSubsets),
    tasks: [...tasks.values()].toSorted((a, b) => Number(a.id) - Number(b.id)),
    taskOf(file, { task_id: id, subset }) {
      const survey = surveys.get(file)
      return survey && tasks.get(taskKey(keyIn(survey, { id, subset })))
    },
  }
}

type Tasks = Map<string, DocumentTask>
type Key = Pick<XmlAttributes, 'task_id' | 'subset'>
type KeyIn = (survey: Survey, element: Pick<SurveyedTask, 'id' | 'subset'>) => Key

/**
 * Returns a function that finds task and subset of an element. An element without a subset belongs to the only subset
 * that other elements of its task name, or else to the subset in the description of its task, or else to that of its
 * document.
 */
function keysOf(surveys: readonly Survey[]): KeyIn {
  const named = new Map<string, Set<string>>()
  const described = new Map<string, string>()
  for (const { elements, tasks, isProject } of surveys) {
    if (isProject) for (const { id, subset } of tasks) described.set(id, subset)
    for (const { id, subset } of elements.values()) {
      if (id === undefined || subset === undefined) continue
      named.set(id, (named.get(id) ?? new Set()).add(subset))
    }
  }
  const subsetOf = (id: string): string | undefined => {
    const [first, ...others] = named.get(id) ?? []
    return others.length === 0 && first !== undefined ? first : described.get(id)
  }
  return (survey, { id, subset }) => {
    const known = subset ?? (id === undefined ? undefined : subsetOf(id))
    return { task_id: id, subset: known ?? survey.subset }
  }
}

function addElements(
  tasks: Tasks,
  survey: Survey,
  { file, keyIn }: { file: string; keyIn: KeyIn },
): void {
  for (const { id, subset, images, listed } of survey.elements.values()) {
    const task = taskIn(tasks, keyIn(survey, { id, subset }))
    task.images = [...task.images, ...images]
    for (const frame of listed) task.listed.add(frame)
    task.files.add(file)
  }
}

/** Adds descriptions. In a project, the description of a task applies to its elements in every subset. */
function addDescribed(tasks: Tasks, survey: Survey): void {
  const byId = new Map<string, DocumentTask[]>()
  for (const task of tasks.values()) {
    const known = byId.get(task.id)
    if (known) known.push(task)
    else byId.set(task.id, [task])
  }
  for (const about of survey.tasks) {
    const { id, subset } = survey.isProject ? about : { id: undefined, subset: survey.subset }
    const known = (id !== undefined && byId.get(id)) || [taskIn(tasks, { task_id: id, subset })]
    for (const task of known) task.about = task.about ? together(task.about, about) : about
  }
}

function taskIn(tasks: Tasks, { task_id: id = '', subset = '' }: Key): DocumentTask {
  const key = taskKey({ task_id: id === '' ? undefined : id, subset })
  const known = tasks.get(key)
  if (known) return known
  const added = { id, subset, about: undefined, images: [], listed: new Set<number>() }
  const task = { ...added, files: new Set<string>() }
  tasks.set(key, task)
  return task
}

/** Merges the descriptions of a task from documents of its jobs. */
function together(one: DescribedTask, other: DescribedTask): DescribedTask {
  const start = Math.min(one.start, other.start)
  const end = Math.max(...[one, other].map(({ start, step, count }) => start + step * count))
  const count = Math.ceil((end - start) / one.step)
  return { ...one, start, count, size: Math.max(one.size, other.size) }
}

// ---- folders

const imagesFolder = 'images/'

/** Returns the image folders of the archive. */
function imageFolders(names: Iterable<string>): Set<string> {
  const found = new Set<string>()
  for (const name of names) {
    const at = `/${name}`.indexOf(`/${imagesFolder}`)
    if (at >= 0) found.add(name.slice(0, at + imagesFolder.length))
  }
  return found
}

/** Returns the `images` folder next to a document or above it; without one, the document's own folder. */
function folderOf(file: string, folders: ReadonlySet<string>): string {
  const parts = file.split('/').slice(0, -1)
  const around = (depth: number) =>
    parts
      .slice(0, depth)
      .map((part) => `${part}/`)
      .join('')
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const folder = `${around(depth)}${imagesFolder}`
    if (folders.has(folder)) return folder
  }
  return around(parts.length)
}
