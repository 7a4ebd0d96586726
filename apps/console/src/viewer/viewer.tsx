import { useEffect, useState } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { curlOf, Empty, Failure, Loading } from '../ui/feedback.tsx'
import { Page, useTitle } from '../ui/page.tsx'
import { Swatch } from '../ui/values.tsx'
import { AppearanceBar, FrameBar } from './bars.tsx'
import {
  fetchNeighbours,
  useFrame,
  useFrameMeta,
  useIssues,
  useLabels,
  useViewedTarget,
} from './data.ts'
import type { FrameObject } from './frame/item.ts'
import { KeyHelp, useFrameKeys } from './keys.tsx'
import { Picture } from './picture.tsx'
import { useViewerSettings } from './settings.ts'
import { SideBar } from './side-bar.tsx'
import { useObjects } from './use-objects.ts'
import { frameWithin, type Span, type ViewedTarget } from './viewed-target.ts'
import './viewer.css'

/** Renders the page of a frame of a task or job, as named by the address. */
export function Viewer() {
  const [path] = useLocation()
  const { id, frame } = useParams()
  const target: ViewedTarget = { kind: path.startsWith('/jobs') ? 'jobs' : 'tasks', id: Number(id) }
  const { summary, error, refetch } = useViewedTarget(target)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!summary) return <Loading />
  if (summary.span.last < summary.span.first)
    return <NoFrames target={target} name={summary.name} />
  const shown = frameWithin(summary.span, Number(frame))
  return <FrameView target={target} name={summary.name} span={summary.span} frame={shown} />
}

function NoFrames({ target, name }: { target: ViewedTarget; name: string }) {
  return (
    <Page title={name}>
      <Empty
        reticle={`reticle task upload ${target.id} pictures/`}
        curl={curlOf(`/tasks/${target.id}/data`, '-F client_files[0]=@0001.jpg')}
      >
        There are no frames yet. Upload images on the page of the task.
      </Empty>
    </Page>
  )
}

interface FrameViewProps {
  target: ViewedTarget
  /** Name of the task or job. */
  name: string
  span: Span
  frame: number
}

/** Shows a frame, with a navigation bar above it and its objects beside it. */
function FrameView({ target, name, span, frame }: FrameViewProps) {
  const settings = useViewerSettings()
  const { quality, pen, hidden } = settings
  const labels = useLabels(target)
  const { picture, set } = useFrame(target, frame, quality)
  const meta = useFrameMeta(target, frame)
  const issues = useIssues(target, frame)
  const objects = useObjects(set.data, labels.data, frame, hidden)
  const go = useFrameNavigation(target, span)
  const [isHelping, setIsHelping] = useState(false)
  const isReady = picture.data !== undefined && set.data !== undefined
  const isBusy = picture.isPending || set.isPending || labels.isPending
  useTitle(`Frame ${frame} of ${name}`)
  useEffect(() => {
    if (isReady) fetchNeighbours({ kind: target.kind, id: target.id }, span, frame, quality)
  }, [isReady, target.kind, target.id, span, frame, quality])
  useFrameKeys({ frame, span, go, objects, settings, help: () => setIsHelping(true) })
  const error = picture.error ?? set.error ?? labels.error
  const size = picture.data ?? meta?.record
  return (
    <main className="viewer">
      <div className="viewer-head">
        <h1>
          <Link href={`/${target.kind}/${target.id}`}>{name}</Link>
        </h1>
        <FrameBar frame={frame} span={span} onGo={go} />
        <p className="viewer-file">
          {meta?.record?.name} {meta?.isDeleted && <strong className="wrong">deleted</strong>}
        </p>
        <AppearanceBar settings={settings} onHelp={() => setIsHelping(true)} />
      </div>
      <div className="viewer-body">
        <div className="viewer-stage">
          <Tags {...objects} />
          {error && <Failure error={error} onRetry={() => void picture.refetch()} />}
          {size ? (
            <Picture
              name={`Frame ${frame}`}
              isBusy={isBusy}
              scene={{ size, picture: picture.data, items: objects.shown, issues, pen }}
              selected={objects.selected}
              onSelect={objects.select}
            />
          ) : (
            !error && <Loading />
          )}
        </div>
        <SideBar objects={objects} labels={labels.data ?? []} settings={settings} issues={issues} />
      </div>
      {isHelping && <KeyHelp onClose={() => setIsHelping(false)} />}
    </main>
  )
}

interface TagsProps {
  shown: readonly FrameObject[]
  selected: FrameObject | undefined
  select: (item: FrameObject) => void
}

function Tags({ shown, selected, select }: TagsProps) {
  const tags = shown.filter(({ kind }) => kind === 'tags')
  if (tags.length === 0) return <p className="tags hint">No tags</p> // keeps the position of the picture
  return (
    <ul className="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag.key}>
          <button type="button" aria-pressed={tag === selected} onClick={() => select(tag)}>
            <Swatch color={tag.color} /> {tag.label}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Returns a function that opens a frame, or the nearest existing one, with the same settings. */
function useFrameNavigation({ kind, id }: ViewedTarget, span: Span): (frame: number) => void {
  const [, navigate] = useLocation()
  const search = useSearch()
  return (frame) => {
    const path = `/${kind}/${id}/frames/${frameWithin(span, frame)}`
    navigate(search ? `${path}?${search}` : path, { replace: true })
  }
}
