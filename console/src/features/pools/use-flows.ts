import { useState } from 'react';
import type { PoolStatus } from '@/lib/types';
import { flowsOf, sampleOf, withSample, type Flow, type Sample } from './throughput';

/** What went through a pool since its page is open. @param toldAt when the status was told, in milliseconds */
export function useFlows(status: PoolStatus | undefined, toldAt: number): readonly Flow[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  if (status !== undefined && samples.at(-1)?.at !== toldAt) {
    setSamples(withSample(samples, sampleOf(status, toldAt)));
  }
  return flowsOf(samples);
}
