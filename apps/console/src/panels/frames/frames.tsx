import { Search } from '../../records/filters.tsx'
import { useListState } from '../../records/state.ts'
import { curlOf, Empty } from '../../ui/empty.tsx'
import { FrameGrid } from './frame-grid.tsx'
import { type FrameSequence, indexOfFrame } from './frame-sequence.ts'
import { MatchingFrames } from './matching-frames.tsx'
import './frames.css'
import { Tile } from './tile.tsx'

interface Props {
  frames: FrameSequence
  /** Whether frames can be searched by file name. */
  hasSearch?: boolean
}

/** Shows frames as thumbnails; a search filters them by file name. */
export function Frames({ frames, hasSearch = false }: Props) {
  const { get } = useListState()
  const search = hasSearch ? get('search') : undefined
  if (frames.count === 0) return <NoFrames task={frames.task} />
  return (
    <>
      {hasSearch && (
        <div className="filters">
          <Search label="Search file names" />
        </div>
      )}
      {search ? (
        <MatchingFrames task={frames.task} search={search} />
      ) : (
        <AllFrames frames={frames} />
      )}
    </>
  )
}

function AllFrames({ frames }: { frames: FrameSequence }) {
  const { path, task, count, numberAt } = frames
  return (
    <FrameGrid
      name="Frames"
      count={count}
      placeOf={(number) => indexOfFrame(frames, number)}
      tile={(position) => {
        const number = numberAt(position.index)
        const src = `${path}/data?type=preview&number=${number}`
        const href = `/tasks/${task}/frames/${number}`
        return <Tile key={position.index} {...position} number={number} src={src} href={href} />
      }}
    />
  )
}

function NoFrames({ task }: { task: number }) {
  return (
    <Empty
      reticle='reticle task create "Batch 1" photos/ --label car'
      curl={curlOf(`/tasks/${task}/data`, '-F client_files=@photo.jpg')}
    >
      There are no frames yet: the task waits for pictures or a video.
    </Empty>
  )
}
