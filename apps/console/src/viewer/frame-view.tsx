import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { useTitle } from '../ui/page.tsx'
import { fetchNeighbours, useFrame, useFrameMeta, useIssues, useLabels } from './data.ts'
import { FrameBar } from './frame-bar.tsx'
import { Help } from './help.tsx'
import { LookBar } from './look-bar.tsx'
import { Picture } from './picture.tsx'
import { useViewerSettings } from './settings.ts'
import { Side } from './side.tsx'
import { Tags } from './tags.tsx'
import { useFrameKeys } from './use-frame-keys.ts'
import { useGo } from './use-go.ts'
import { useObjects } from './use-objects.ts'
import type { Span, ViewedTarget } from './viewed-target.ts'

interface Props {
  target: ViewedTarget
  /** Name of the task or job. */
  name: string
  span: Span
  frame: number
}

/** Shows a frame, with a navigation bar above it and its objects beside it. */
export function FrameView({ target, name, span, frame }: Props) {
  const settings = useViewerSettings()
  const { quality, pen, hidden } = settings
  const labels = useLabels(target)
  const { picture, set } = useFrame(target, frame, quality)
  const meta = useFrameMeta(target, frame)
  const issues = useIssues(target, frame)
  const objects = useObjects(set.data, labels.data, frame, hidden)
  const go = useGo(target, span)
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
        <LookBar settings={settings} onHelp={() => setIsHelping(true)} />
      </div>
      <div className="viewer-body">
        <div className="viewer-stage">
          <Tags {...objects} />
          {error && <Failure error={error} onRetry={() => void picture.refetch()} />}
          {size ? (
            <Picture
              name={`Frame ${frame}`}
              isBusy={isBusy}
              scene={{ size, picture: picture.data, items: objects.shown, remarks: issues, pen }}
              selected={objects.selected}
              onSelect={objects.select}
            />
          ) : (
            !error && <Loading />
          )}
        </div>
        <Side objects={objects} labels={labels.data ?? []} settings={settings} issues={issues} />
      </div>
      {isHelping && <Help onClose={() => setIsHelping(false)} />}
    </main>
  )
}
