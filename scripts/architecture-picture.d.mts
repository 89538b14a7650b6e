export declare const PICTURE: string;
export declare function architecturePicture(): Promise<string>;
